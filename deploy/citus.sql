-- Spreads the plants over the workers of Citus by caller, and keeps the tokens on the coordinator, so that each
-- list and each transaction concerns one node. docs/postgres.md, Citus, says when to run it.
BEGIN;
SELECT create_distributed_table('plants', 'caller');
SELECT citus_add_local_table_to_metadata('tokens');
SELECT citus_add_local_table_to_metadata('plant_store_schema');
COMMIT;

// Generated from openapi.yaml sha256:50ac277507cd8a2b2292ba26766f80fc1e1b25274499d81455c643a46efc7707 by fastify-contract. Do not edit.

import type { ClientOperation, Int64Schema } from 'fastify-contract/client'

/** The schemas with an int64 that others refer to. */
export const int64Schemas: Record<string, Int64Schema> = {}

/** The operations of the contract, by operationId. */
export const clientOperations = {
  createPlant: { method: "POST", path: "/plants", contentType: "application/json", replies: { 200: { "application/json": {} }, 400: { "application/json": {} }, 401: { "application/json": {} }, 408: { "application/json": {} }, 409: { "application/json": {} }, 413: { "application/json": {} }, 415: { "application/json": {} }, 429: { "application/json": {} }, 431: { "application/json": {} }, 500: { "application/json": {} }, 503: { "application/json": {} } } },
  deletePlant: { method: "DELETE", path: "/plants/{id}", replies: { 204: {}, 400: { "application/json": {} }, 401: { "application/json": {} }, 404: { "application/json": {} }, 408: { "application/json": {} }, 429: { "application/json": {} }, 431: { "application/json": {} }, 500: { "application/json": {} }, 503: { "application/json": {} } } },
  listPlants: { method: "GET", path: "/plants", replies: { 200: { "application/json": {} }, 400: { "application/json": {} }, 401: { "application/json": {} }, 408: { "application/json": {} }, 429: { "application/json": {} }, 431: { "application/json": {} }, 500: { "application/json": {} }, 503: { "application/json": {} } } },
} as const satisfies Record<string, ClientOperation>

# .github/workflows/test.yml builds and starts it.
# The digest is that of the index of all platforms. Dependabot renews it with the tag.
FROM node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS base
WORKDIR /app

FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
COPY packages/fastify-contract/package.json ./packages/fastify-contract/
# better-sqlite3 brings its binary along, so no package has to run a script of its own.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force

FROM base
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/plants.db NODE_COMPILE_CACHE=/app/.cache/compiled
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json openapi.yaml ./
COPY generated ./generated
COPY scripts ./scripts
COPY packages/fastify-contract/package.json ./packages/fastify-contract/
COPY packages/fastify-contract/src ./packages/fastify-contract/src
COPY src ./src
# The code is root's and is only read; the data folder is all that the service's user may write.
RUN install -d -o node -g node -m 700 /data
# Node keeps compiled code for one user and one set of flags. A start as this user compiles it for every container.
RUN install -d -o node .cache \
  && PORT=0 METRICS_PORT=0 DATABASE_URL=sqlite:/tmp/plants.db setpriv --reuid=node --regid=node --clear-groups \
    timeout --preserve-status 10 scripts/start.sh \
  && rm /tmp/plants.db* \
  && chown -R root:root .cache && chmod -R go+rX .cache
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Signals reach node itself: the script becomes node.
CMD ["scripts/start.sh"]

# API and worker in one image: Node runs their TypeScript as it is; only the console and the agent of hosts are built.
# Not built with Docker yet.
FROM ghcr.io/opentofu/opentofu:1.12.6-minimal AS tofu
FROM openpolicyagent/opa:1.22.0-static AS opa

FROM node:24-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY console console
RUN npm run build
COPY scripts scripts
COPY domain domain
COPY agent agent
RUN npm run build:agent

FROM node:24-bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git openssl tini zstd \
  && rm -rf /var/lib/apt/lists/*
COPY --from=tofu /usr/local/bin/tofu /usr/local/bin/tofu
COPY --from=opa /opa /usr/local/bin/opa

WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The scripts of the packages fetch embedded engines, which this image does without.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY . .
COPY --from=console /app/console/dist console/dist
COPY --from=console /app/dist/agent dist/agent
RUN mkdir /data && chown node:node /data

USER node
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["tini", "--"]
CMD ["node", "--min-semi-space-size=16", "--max-semi-space-size=16", "--heap-growing-percent=100", "api/server.ts"]

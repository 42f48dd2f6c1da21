// Generated from openapi.yaml sha256:59008317d72ef6fcf36cd49d7dff80174f0b1da1721285ec8da3eba44a56b139 by fastify-contract. Do not edit.

import type { ClientOperation, Int64Schema } from 'fastify-contract/client'

/** The schemas with an int64 that others refer to. */
export const int64Schemas: Record<string, Int64Schema> = {}

/** The operations of the contract, by operationId. */
export const clientOperations = {
  createPlant: { method: "POST", path: "/plants", contentType: "application/json", replies: { 200: { "application/json": {} }, 400: { "application/json": {} }, 401: { "application/json": {} }, 408: { "application/json": {} }, 409: { "application/json": {} }, 413: { "application/json": {} }, 415: { "application/json": {} }, 429: { "application/json": {} }, 431: { "application/json": {} }, 500: { "application/json": {} }, 503: { "application/json": {} } } },
  deletePlant: { method: "DELETE", path: "/plants/{id}", replies: { 204: {}, 400: { "application/json": {} }, 401: { "application/json": {} }, 404: { "application/json": {} }, 408: { "application/json": {} }, 429: { "application/json": {} }, 431: { "application/json": {} }, 500: { "application/json": {} }, 503: { "application/json": {} } } },
  listPlants: { method: "GET", path: "/plants", replies: { 200: { "application/json": {} }, 400: { "application/json": {} }, 401: { "application/json": {} }, 408: { "application/json": {} }, 429: { "application/json": {} }, 431: { "application/json": {} }, 500: { "application/json": {} }, 503: { "application/json": {} } } },
} as const satisfies Record<string, ClientOperation>

// Generated from openapi.yaml sha256:de575b76aeec9c785dc3ba45b7476ea6bfcff4b83ed9f1f22a372f0951cb1dd2 by npm run generate. Do not edit.

/** How an operation is called, and by status where its reply has an int64, or null where it has no body. */
export interface ClientOperation {
  method: string
  path: string
  replies: Record<number, string[][] | null>
}

/** The operations of the contract, by operationId. */
export const clientOperations = {
  createPlant: { method: 'POST', path: "/plants", replies: { 200: [], 400: [], 401: [], 408: [], 409: [], 413: [], 415: [], 429: [], 431: [], 500: [], 503: [] } },
  deletePlant: { method: 'DELETE', path: "/plants/{id}", replies: { 204: null, 400: [], 401: [], 404: [], 408: [], 429: [], 431: [], 500: [], 503: [] } },
  listPlants: { method: 'GET', path: "/plants", replies: { 200: [], 400: [], 401: [], 408: [], 429: [], 431: [], 500: [], 503: [] } },
} satisfies Record<string, ClientOperation>

import type { FailureForm } from 'fastify-contract'

/** The failures that the server sends by itself, as the contract declares them. Edit the plain values. */
export const failureForm: FailureForm = ({ status, message }) => ({
  body: { type: 'https://example.com/errors/bad-request', title: 'Bad Request', status, detail: message },
})

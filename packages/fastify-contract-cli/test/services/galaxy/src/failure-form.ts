import type { FailureForm } from 'fastify-contract'

/** The failures that the server sends by itself, as the contract declares them. Edit what was guessed from their names. */
export const failureForm: FailureForm = ({ name, status, message }) => ({
  body: { type: name, title: name, status, detail: message },
})

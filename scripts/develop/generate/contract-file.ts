/** The contract, in the project's folder. */
export const contractFile = 'openapi.yaml'

/** One request of the mix, and how it is to be answered. */
export interface Step {
  method: string
  path: string
  body?: string
  status: number
}

/**
 * The life of a plant, with what clients do wrong on the way. It leaves nothing behind. @param id of a plant that there
 * is not
 */
export function createSteps(id: number): Step[] {
  const plant = JSON.stringify({ id, name: 'Aloe vera', tag: 'indoor' })
  const place = `/plants/${String(id)}`
  return [
    { method: 'POST', path: '/plants', body: plant, status: 200 },
    { method: 'GET', path: '/plants?limit=20', status: 200 },
    { method: 'POST', path: '/plants', body: plant, status: 409 },
    { method: 'GET', path: '/plants', status: 200 },
    { method: 'POST', path: '/plants', body: '{"id":1.5,"name":""}', status: 400 },
    { method: 'GET', path: '/plants?limit=1', status: 200 },
    { method: 'GET', path: '/plants?limt=1', status: 400 },
    { method: 'DELETE', path: place, status: 204 },
    { method: 'DELETE', path: place, status: 404 },
    { method: 'POST', path: '/plants', body: '{"id":', status: 400 },
    { method: 'GET', path: '/readyz', status: 200 },
    { method: 'GET', path: '/nothing', status: 404 },
  ]
}

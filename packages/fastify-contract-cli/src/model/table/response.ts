import { content } from './content.ts'
import { type Keywords, shown } from '../rules/keyword.ts'

export const response: Keywords = {
  $ref: { is: 'text' },
  headers: { holds: { each: 'header' } },
  content: content('responseContent'),
  ...shown('summary'),
  description: { isShown: true, isRequired: 'by OpenAPI' },
  links: { holds: { each: 'link' }, isShown: true },
}

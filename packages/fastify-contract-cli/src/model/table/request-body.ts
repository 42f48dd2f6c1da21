import { content } from './content.ts'
import { type Keywords, each, shown } from '../rules/keyword.ts'

export const requestBody: Keywords = {
  $ref: { is: 'text' },
  content: { ...content('requestContent'), isRequired: true },
  ...each('required', { is: 'true or false' }),
  ...shown('description'),
}

import 'bun-types'

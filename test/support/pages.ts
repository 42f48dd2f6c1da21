import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from './server/start-process.ts'

/** The pages of the documentation, as paths from the project's folder. */
export const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: projectFolder }).sort()

/** A fenced block of a page. */
export interface Block {
  page: string
  /** The line of its opening fence, from 1. */
  line: number
  /** The page and the anchor of the heading above it, as in a link: `README.md#set-up`. */
  place: string
  /** What follows the opening fence, such as `sh`; often empty. */
  language: string
  /** The paragraph before it, which says what it is. */
  before: string
  text: string
}

/** The text of a file of the project. */
export function textOf(file: string): string {
  return readFileSync(join(projectFolder, file), 'utf8')
}

/** The anchor that GitHub gives to a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** The anchors of the headings in a page, without what looks like a heading in a block. */
export function anchorsIn(text: string): string[] {
  const headings = text.replaceAll(/^ *```[^]*?^ *```$/gm, '').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) => anchorOf(heading))
}

/**
 * The fenced blocks of a page, in their order. A block in a list loses its indentation.
 *
 * @throws Error when a fence is written in another way
 */
export function blocksOf(page: string): Block[] {
  const text = textOf(page)
  const blocks = [...text.matchAll(/^(?<indent> *)```(?<language>\w*)\n(?<block>[^]*?)^\k<indent>```$/gm)].map(
    (match) => {
      // The groups are there in every match.
      const { indent, language, block } = match.groups as Record<'indent' | 'language' | 'block', string>
      const above = text.slice(0, match.index)
      return {
        page,
        line: above.split('\n').length,
        place: `${page}#${anchorsIn(above).at(-1) ?? ''}`,
        language,
        before: above.trimEnd().split('\n\n').at(-1) ?? '',
        text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      }
    },
  )
  const fences = text.match(/^[ >]*(?:```|~~~).*$/gm) ?? []
  if (fences.length !== 2 * blocks.length) {
    throw new Error(
      `${page}: begin each block with three backticks and at most a word, and end it with three backticks`,
    )
  }
  return blocks
}

import { UsageError } from '../../command.ts'
import { type Comparison, withImpact } from '../breaking/compare-with-release.ts'

/** The file of the changes of all versions, in the project's folder. */
export const changelogFile = 'CHANGELOG.md'

const unreleased = '## Unreleased\n'

/**
 * Turns the section "Unreleased" of the changelog into that of a version, with the changes of the contract, and begins
 * a new one.
 *
 * @param text the changelog
 * @param version the version, such as 1.1.0
 * @param date the day of the release, such as 2026-01-31
 * @throws UsageError when there is no such section, or the version has one
 */
export function closeVersion(text: string, version: string, date: string, comparison: Comparison): string {
  const start = text.indexOf(`\n${unreleased}`)
  if (start === -1) throw new UsageError(`${changelogFile} has no section "Unreleased": add the line ## Unreleased`)
  if (text.includes(`\n## ${version} (`))
    throw new UsageError(`${changelogFile} has a section ${version} already: rename it to ## Unreleased`)
  const [before, after] = [text.slice(0, start + 1), text.slice(start + 1 + unreleased.length)]
  return `${before}${unreleased}\n## ${version} (${date})\n\n${contractSection(comparison)}${after}`
}

function contractSection({ base, changes }: Comparison): string {
  const lines = [
    ...withImpact(changes, 'breaking').map(({ text }) => `- Breaking: ${text}.`),
    ...withImpact(changes, 'compatible').map(({ text }) => `- Compatible: ${text}.`),
  ]
  const editorial = withImpact(changes, 'editorial').length
  if (editorial > 0) lines.push(`- Editorial: ${String(editorial)} changed in descriptions and examples.`)
  if (lines.length === 0) lines.push('- No change for clients.')
  return `### The contract, compared with ${base}\n\n${lines.join('\n')}\n`
}

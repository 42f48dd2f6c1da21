import type { Result } from '../../suite/run/result.ts'

/**
 * Writes a report in JUnit's XML, a suite for each operation.
 *
 * @param gaps what was never seen, where that is a failure
 */
export function junitOf(results: readonly Result[], gaps: readonly string[]): string {
  const groups = Map.groupBy(results, ({ route = 'all operations' }) => route)
  const cases = [...groups].map(([name, group]): [string, string[]] => {
    return [name, group.map((result) => testcase(name, result.title, outcomeOf(result)))]
  })
  const unseen = gaps.map((gap) => testcase('coverage', gap, element('failure', 'never seen', gap)))
  if (unseen.length > 0) cases.push(['coverage', unseen])
  const suites = cases.map(([name, texts]) => suite(name, texts))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`
}

function suite(name: string, cases: readonly string[]): string {
  const count = (tag: string) => String(cases.filter((text) => text.includes(`<${tag} `)).length)
  const verdicts = `failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`
  const counts = `tests="${String(cases.length)}" ${verdicts}`
  return `<testsuite name="${escaped(name)}" ${counts}>\n${cases.join('\n')}\n</testsuite>`
}

function outcomeOf(result: Result): string {
  switch (result.verdict) {
    case 'ok':
      return ''
    case 'left out':
      return element('skipped', `${result.because}: ${result.reason}`, '')
    case 'not judged':
      return element('error', result.reason, '')
    case 'fault':
      return element(
        'failure',
        [...new Set(result.faults.map(({ kind }) => kind))].join(', '),
        result.faults.map(({ problem }) => problem).join('\n'),
      )
  }
}

function testcase(name: string, title: string, content: string): string {
  return `<testcase classname="${escaped(name)}" name="${escaped(title)}">${content}</testcase>`
}

function element(tag: string, message: string, text: string): string {
  return `<${tag} message="${escaped(message)}">${escaped(text)}</${tag}>`
}

const entities: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }

/** XML 1.0, section 2.2, has no way to write most control characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(/[<>&"]/g, (character) => entities[character] ?? character)
}

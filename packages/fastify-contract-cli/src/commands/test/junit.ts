import type { Result } from '../../suite/run/suite.ts'

/** Collects results for a report in JUnit's XML, a suite for each operation. */
export class JunitReport {
  readonly #suites = new Map<string, string[]>()

  add(result: Result): void {
    const name = result.route ?? 'all operations'
    const cases = this.#suites.get(name) ?? []
    this.#suites.set(name, [...cases, caseOf(name, result)])
  }

  /** @param gaps what was never seen, where that is a failure */
  text(gaps: readonly string[] = []): string {
    for (const gap of gaps) {
      const cases = this.#suites.get('coverage') ?? []
      this.#suites.set('coverage', [...cases, testcase('coverage', gap, element('failure', 'never seen', gap))])
    }
    const suites = [...this.#suites].map(([name, cases]) => {
      const count = (tag: string) => String(cases.filter((text) => text.includes(`<${tag} `)).length)
      const verdicts = `failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`
      const counts = `tests="${String(cases.length)}" ${verdicts}`
      return `<testsuite name="${escaped(name)}" ${counts}>\n${cases.join('\n')}\n</testsuite>`
    })
    return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`
  }
}

function caseOf(name: string, result: Result): string {
  switch (result.verdict) {
    case 'ok':
      return testcase(name, result.title, '')
    case 'left out':
      return testcase(name, result.title, element('skipped', `${result.because}: ${result.reason}`, ''))
    case 'not judged':
      return testcase(name, result.title, element('error', result.reason, ''))
    case 'fault':
      return testcase(name, result.title, element('failure', result.kind, result.problem))
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

/** The part of a Dockerfile that can be carried out without a container engine. */
export interface Image {
  /** Paths in the project and in the image's folder. */
  copies: { from: string; to: string }[]
  /** The arguments of the `npm` that installs. */
  install: string[]
  environment: Record<string, string>
  /** The arguments of the `node` that starts while the image is built, which fills the compile cache. */
  firstStart: string[]
  /** The arguments of the `node` that serves. */
  command: string[]
  /** The arguments of the `node` that checks the health. */
  healthcheck: string[]
}

/**
 * Reads the instructions of this project's Dockerfile.
 *
 * @throws Error when an instruction is missing
 */
export function readImage(dockerfile: string): Image {
  const lines = dockerfile.split('\n')
  const copies = lines.flatMap((line) => {
    const [, sources, target] = /^COPY (?!--)(.+) (\S+)$/.exec(line) ?? []
    if (sources === undefined || target === undefined) return []
    return sources
      .split(' ')
      .map((from) => ({ from, to: target.endsWith('/') ? `${target}${from.split('/').at(-1) ?? ''}` : target }))
  })
  return {
    copies,
    install: [
      ...found(lines, /^RUN npm (ci [^&]+)/)
        .trim()
        .split(' '),
    ],
    environment: Object.fromEntries(
      found(lines, /^ENV (.+)$/)
        .split(' ')
        .map((pair) => pair.split('=', 2) as [string, string]),
    ),
    firstStart: found(lines, /^ +timeout --preserve-status \d+ node (.+) \\$/).split(' '),
    command: nodeParameters(found(lines, /^CMD (.+)$/)),
    healthcheck: nodeParameters(found(lines, /^HEALTHCHECK .*?CMD (.+)$/)),
  }
}

function found(lines: string[], pattern: RegExp): string {
  const value = lines.map((line) => pattern.exec(line)?.[1]).find((match) => match !== undefined)
  if (value === undefined) throw new Error(`the Dockerfile has no line ${String(pattern)}`)
  return value
}

/** The exec form is a JSON array. */
function nodeParameters(form: string): string[] {
  const [program, ...parameters] = JSON.parse(form) as string[]
  if (program !== 'node') throw new Error(`the Dockerfile runs ${String(program)} where node is expected`)
  return parameters
}

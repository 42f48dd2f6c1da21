import assert from 'node:assert/strict'
import { type OfficialClient, type Values, at, call, liveThrough, make, page, shows } from './steps.ts'

const place = { owner: 'o', repo: 'r' }

export const github: OfficialClient = {
  package: 'octokit@5.0.5',
  contract: 'github.json',
  async run(steps, origin, module) {
    const options = { retry: { enabled: false }, throttle: { enabled: false } }
    const client = make(module, 'Octokit', { baseUrl: origin, auth: 't', ...options })
    const ask = async (path: string, values: Values) => at(await call(client, `rest.${path}`, values), 'data')
    const kind = (area: string, name: string, parameter: string, within: Values = place) => ({
      create: (values: Values) => ask(`${area}.create${name}`, { ...within, ...values }),
      get: (id: string) => ask(`${area}.get${name}`, { ...within, [parameter]: id }),
      update: (id: string, change: Values) => ask(`${area}.update${name}`, { ...within, [parameter]: id, ...change }),
      remove: (id: string) => ask(`${area}.delete${name}`, { ...within, [parameter]: id }),
    })
    const { remove: _, ...issues } = kind('issues', '', 'issue_number')
    await liveThrough(steps, {
      ...issues,
      name: 'issue',
      id: 'number',
      values: [
        { title: 'It leaks', body: 'The pot.' },
        { title: 'It wilts', body: 'The fern.' },
      ],
      list: () => ask('issues.listForRepo', place),
      change: { title: 'It leaks a lot', state: 'closed' },
    })
    await liveThrough(steps, {
      ...kind('issues', 'Label', 'name'),
      name: 'label',
      id: 'name',
      values: [
        { name: 'bug', color: 'f29513', description: 'wrong' },
        { name: 'wish', color: '00ff00' },
      ],
      list: () => ask('issues.listLabelsForRepo', place),
      change: { description: 'very wrong' },
    })
    await liveThrough(steps, {
      ...kind('issues', 'Milestone', 'milestone_number'),
      name: 'milestone',
      id: 'number',
      values: [
        { title: 'Spring', state: 'open' },
        { title: 'Autumn', description: 'late' },
      ],
      list: () => ask('issues.listMilestones', place),
      change: { title: 'Summer' },
    })
    await liveThrough(steps, {
      ...kind('repos', 'Release', 'release_id'),
      name: 'release',
      id: 'id',
      values: [
        { tag_name: 'v1', name: 'First', body: 'All.', draft: false },
        { tag_name: 'v2', name: 'Second', prerelease: true },
      ],
      list: () => ask('repos.listReleases', place),
      change: { name: 'The first' },
    })
    await liveThrough(steps, {
      ...kind('gists', '', 'gist_id', {}),
      name: 'gist',
      id: 'id',
      values: [
        { description: 'A pot', public: true, files: { 'pot.txt': { content: 'clay' } } },
        { description: 'A fern', public: false, files: { 'fern.txt': { content: 'green' } } },
      ],
      list: () => ask('gists.list', {}),
      listed: ({ description }) => ({ description }),
      change: { description: 'A large pot' },
    })
    await liveThrough(steps, {
      ...kind('repos', 'Webhook', 'hook_id'),
      name: 'webhook',
      id: 'id',
      values: [
        { name: 'web', active: true, events: ['push'], config: { url: 'https://example.com/1', content_type: 'json' } },
        { name: 'web', active: false, events: ['fork'], config: { url: 'https://example.com/2' } },
      ],
      list: () => ask('repos.listWebhooks', place),
      change: { active: false },
    })
    await steps.take('issue comment: create, list, get, update, delete', async () => {
      const issue = at(await ask('issues.create', { ...place, title: 'A' }), 'number')
      const comment = await ask('issues.createComment', { ...place, issue_number: issue, body: 'Yes' })
      const comment_id = at(comment, 'id')
      shows(comment, { body: 'Yes' })
      const listed = await ask('issues.listComments', { ...place, issue_number: issue })
      assert.ok(Array.isArray(listed) && listed.some((each) => at(each, 'id') === comment_id), 'it is not listed')
      shows(await ask('issues.getComment', { ...place, comment_id }), { id: comment_id, body: 'Yes' })
      shows(await ask('issues.updateComment', { ...place, comment_id, body: 'No' }), { id: comment_id, body: 'No' })
      await ask('issues.deleteComment', { ...place, comment_id })
      await assert.rejects(ask('issues.getComment', { ...place, comment_id }), { status: 404 })
    })
    await steps.take('issue: apart for each repository', async () => {
      const number = at(await ask('issues.create', { owner: 'o', repo: 'mine', title: 'Only here' }), 'number')
      const listed = await ask('issues.listForRepo', { owner: 'o', repo: 'other' })
      assert.ok(Array.isArray(listed) && !listed.some((each) => at(each, 'title') === 'Only here'), 'it is listed')
      shows(await ask('issues.get', { owner: 'o', repo: 'mine', issue_number: number }), { title: 'Only here' })
    })
    await page(
      steps,
      'deploy key',
      (index) =>
        ask('repos.createDeployKey', { ...place, title: `K${String(index)}`, key: `ssh-rsa ${String(index)}` }),
      async () =>
        (await call(client, 'paginate', at(client, 'rest.repos.listDeployKeys'), {
          ...place,
          per_page: 2,
        })) as unknown[],
      'id',
    )
  },
}

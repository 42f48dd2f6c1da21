import assert from 'node:assert/strict'
import { type OfficialClient, at, call, callNow, liveThrough, make, page, shows } from './steps.ts'

export const box: OfficialClient = {
  package: 'box-node-sdk@10.12.0',
  contract: 'box.json',
  async run(steps, origin, module) {
    const auth = make(module, 'BoxDeveloperTokenAuth', { token: 't' })
    const urls = { baseUrl: origin, uploadUrl: origin, oauth2Url: origin }
    const client = callNow(make(module, 'BoxClient', { auth }), 'withCustomBaseUrls', urls)
    await liveThrough(steps, {
      name: 'group',
      id: 'id',
      values: [{ name: 'Gardeners', description: 'all' }, { name: 'Cooks' }],
      create: (values) => call(client, 'groups.createGroup', values),
      get: (id) => call(client, 'groups.getGroupById', id),
      list: async () => at(await call(client, 'groups.getGroups'), 'entries'),
      listed: ({ name }) => ({ name }),
      change: { name: 'Head gardeners' },
      update: (id, requestBody) => call(client, 'groups.updateGroupById', id, { requestBody }),
      remove: (id) => call(client, 'groups.deleteGroupById', id),
    })
    await liveThrough(steps, {
      name: 'user',
      id: 'id',
      values: [
        { name: 'Ann', login: 'ann@example.com', jobTitle: 'Gardener' },
        { name: 'Bob', login: 'bob@example.com' },
      ],
      create: (values) => call(client, 'users.createUser', values),
      get: (id) => call(client, 'users.getUserById', id),
      list: async () => at(await call(client, 'users.getUsers'), 'entries'),
      change: { name: 'Anna' },
      update: (id, requestBody) => call(client, 'users.updateUserById', id, { requestBody }),
      remove: (id) => call(client, 'users.deleteUserById', id),
    })
    await liveThrough(steps, {
      name: 'folder',
      id: 'id',
      values: [
        { name: 'Plants', parent: { id: '0' } },
        { name: 'Pots', parent: { id: '0' } },
      ],
      create: (values) => call(client, 'folders.createFolder', values),
      get: (id) => call(client, 'folders.getFolderById', id),
      change: { name: 'Trees', description: 'all' },
      update: (id, requestBody) => call(client, 'folders.updateFolderById', id, { requestBody }),
      remove: (id) => call(client, 'folders.deleteFolderById', id),
    })
    steps.leaveOut(
      'folder: list',
      'the contract lists the items of a folder, and does not say that POST /folders adds one',
    )
    await liveThrough(steps, {
      name: 'webhook',
      id: 'id',
      values: [
        { target: { id: '1', type: 'folder' }, address: 'https://example.com/1', triggers: ['FILE.UPLOADED'] },
        { target: { id: '2', type: 'file' }, address: 'https://example.com/2', triggers: ['FILE.DOWNLOADED'] },
      ],
      create: (values) => call(client, 'webhooks.createWebhook', values),
      get: (id) => call(client, 'webhooks.getWebhookById', id),
      list: async () => at(await call(client, 'webhooks.getWebhooks'), 'entries'),
      listed: ({ target }) => ({ target }),
      change: { address: 'https://example.com/3' },
      update: (id, requestBody) => call(client, 'webhooks.updateWebhookById', id, { requestBody }),
      remove: (id) => call(client, 'webhooks.deleteWebhookById', id),
    })
    await liveThrough(steps, {
      name: 'task',
      id: 'id',
      values: [
        { item: { id: '1', type: 'file' }, message: 'Water', action: 'review' },
        { item: { id: '2', type: 'file' }, message: 'Prune', action: 'complete' },
      ],
      create: (values) => call(client, 'tasks.createTask', values),
      get: (id) => call(client, 'tasks.getTaskById', id),
      change: { message: 'Water twice' },
      update: (id, requestBody) => call(client, 'tasks.updateTaskById', id, { requestBody }),
      remove: (id) => call(client, 'tasks.deleteTaskById', id),
    })
    await steps.take('comment: create, get, update', async () => {
      const comment = await call(client, 'comments.createComment', { message: 'Nice', item: { id: '1', type: 'file' } })
      const id = at(comment, 'id')
      shows(comment, { message: 'Nice', item: { id: '1', type: 'file' } })
      shows(await call(client, 'comments.getCommentById', id), { id, message: 'Nice' })
      const change = { requestBody: { message: 'Nicer' } }
      shows(await call(client, 'comments.updateCommentById', id, change), { id, message: 'Nicer' })
    })
    await page(
      steps,
      'allowed domain',
      (index) =>
        call(client, 'collaborationAllowlistEntries.createCollaborationWhitelistEntry', {
          domain: `d${String(index)}.example.com`,
          direction: 'inbound',
        }),
      async () => {
        const entries: unknown[] = []
        for (let marker: unknown; entries.length < 50;) {
          const listed = await call(client, 'collaborationAllowlistEntries.getCollaborationWhitelistEntries', {
            limit: 2,
            marker,
          })
          const found = at(listed, 'entries')
          assert.ok(Array.isArray(found))
          entries.push(...(found as unknown[]))
          marker = at(listed, 'nextMarker')
          if (marker === undefined || marker === null || marker === '') break
        }
        return entries
      },
      'id',
    )
  },
}

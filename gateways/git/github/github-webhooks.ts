import type { Octokit } from '@octokit/rest'
import { place } from './github-repository.ts'
import { deleteWebhook, maxWebhookPages, type GitWebhooks } from '../git-webhooks.ts'

const perPage = 100

export function githubWebhooks({ rest }: Octokit): GitWebhooks {
  const remove = async (name: string, url: string) => {
    for (let page = 1; page <= maxWebhookPages; page += 1) {
      const { data } = await rest.repos.listWebhooks({ ...place(name), per_page: perPage, page })
      for (const { id, config } of data)
        if (config.url === url)
          await deleteWebhook(async () => rest.repos.deleteWebhook({ ...place(name), hook_id: id }))
      if (data.length < perPage) return
    }
  }
  return {
    registerWebhook: async (name, { url, keys }) => {
      await remove(name, url)
      await rest.repos.createWebhook({
        ...place(name),
        name: 'web',
        active: true,
        events: ['push', 'pull_request'],
        config: { url, content_type: 'json', secret: keys.token, insecure_ssl: '0' },
      })
      return { signs: true }
    },
    removeWebhook: async (name, url) => remove(name, url),
  }
}

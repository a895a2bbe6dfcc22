import { deleteWebhook, maxWebhookPages, type GitWebhooks } from '../git-webhooks.ts'
import type { JsonClient } from '../json-client.ts'

type Hooks = {
  values: Array<{ id: number; url: string }>
  isLastPage: boolean
  nextPageStart?: number | null
}

export function bitbucketDataCenterWebhooks(
  client: JsonClient,
  at: (name: string) => string,
): GitWebhooks {
  const remove = async (name: string, url: string) => {
    for (let page = 0, start = 0; page < maxWebhookPages; page += 1) {
      const hooks = await client.get<Hooks>(`${at(name)}/webhooks`, { start, limit: 100 })
      for (const hook of hooks.values)
        if (hook.url === url)
          await deleteWebhook(async () => client.delete(`${at(name)}/webhooks/${hook.id}`))
      if (hooks.isLastPage || hooks.nextPageStart == null) return
      start = hooks.nextPageStart
    }
  }
  return {
    registerWebhook: async (name, { url, keys }) => {
      await remove(name, url)
      await client.post(`${at(name)}/webhooks`, {
        name: 'cloud-control',
        url,
        active: true,
        sslVerificationRequired: true,
        configuration: { secret: keys.token },
        events: ['repo:refs_changed', 'pr:opened', 'pr:from_ref_updated', 'pr:to_ref_updated'],
      })
      return { signs: true }
    },
    removeWebhook: async (name, url) => remove(name, url),
  }
}

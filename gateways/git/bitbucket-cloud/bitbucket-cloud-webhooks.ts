import { deleteWebhook, maxWebhookPages, type GitWebhooks } from '../git-webhooks.ts'
import { inPath, type JsonClient } from '../json-client.ts'

type Hooks = { values: Array<{ uuid: string; url: string }>; next?: string }

export function bitbucketCloudWebhooks(client: JsonClient): GitWebhooks {
  const at = (name: string) => `/repositories/${inPath(name)}/hooks`
  const remove = async (name: string, url: string) => {
    for (let page = 1; page <= maxWebhookPages; page += 1) {
      const { values, next } = await client.get<Hooks>(at(name), { page, pagelen: 100 })
      for (const hook of values)
        if (hook.url === url)
          await deleteWebhook(async () =>
            client.delete(`${at(name)}/${encodeURIComponent(hook.uuid)}`),
          )
      if (!next) return
    }
  }
  return {
    registerWebhook: async (name, { url, keys }) => {
      await remove(name, url)
      await client.post(at(name), {
        description: 'cloud-control',
        url,
        active: true,
        secret: keys.token,
        events: ['repo:push', 'pullrequest:created', 'pullrequest:updated'],
      })
      return { signs: true }
    },
    removeWebhook: async (name, url) => remove(name, url),
  }
}

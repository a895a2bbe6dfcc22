import { gitlabList, type GitlabApi } from './gitlab-api.ts'
import { deleteWebhook, maxWebhookPages, type GitWebhooks } from '../git-webhooks.ts'

export function gitlabWebhooks(api: GitlabApi): GitWebhooks {
  const remove = async (name: string, url: string) => {
    const ours: number[] = []
    const hooks = gitlabList(maxWebhookPages, async (at) => api.ProjectHooks.all(name, at))
    for await (const hook of hooks) if (hook.url === url) ours.push(hook.id)
    for (const id of ours) await deleteWebhook(async () => api.ProjectHooks.remove(name, id))
  }
  return {
    registerWebhook: async (name, { url, keys }) => {
      await remove(name, url)
      const options = {
        pushEvents: true,
        tagPushEvents: true,
        mergeRequestsEvents: true,
        enableSslVerification: true,
        token: keys.token,
        // Newer than the library's types; an older GitLab passes over it.
        signingToken: keys.signingToken,
      }
      const made = await api.ProjectHooks.add(name, url, options)
      return { signs: made['signing_token_present'] === true }
    },
    removeWebhook: async (name, url) => remove(name, url),
  }
}

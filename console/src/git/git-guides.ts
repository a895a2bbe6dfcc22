import type { GitConnection } from '../api/types.ts'
import type { GuideStep } from '../parts/guide.tsx'

/** How to make a token at each host, with the rights that it needs and why. */
export const gitGuides: Record<GitConnection['provider'], readonly GuideStep[]> = {
  github: [
    {
      text: 'At GitHub open *Settings*, *Developer settings*, *Personal access tokens*, *Fine-grained tokens*, *Generate new token*. *Resource owner* is the owner of the repository.',
    },
    { text: 'As *Repository access* take *Only select repositories* and choose them.' },
    {
      text: 'Under *Repository permissions* set *Contents* to *Read and write*; *Webhooks* to *Read and write*, so that pushes are planned; *Pull requests* to *Read and write*, so that plans are written to them.',
    },
    {
      text: 'A classic token needs `repo`. For webhooks its account administers the repository.',
    },
  ],
  gitlab: [
    {
      text: 'At GitLab open the project or group, *Settings*, *Access tokens*, *Add new token*.',
    },
    {
      text: 'As *Select a role* take *Maintainer*, which webhooks and protected branches need. Under *Select scopes* tick *api*.',
    },
  ],
  bitbucket: [
    {
      text: 'At Bitbucket Cloud open the repository, *Repository settings*, *Access tokens*, *Create Repository Access Token*. Under *Permissions* tick *Repositories: Write*, *Pull requests: Write* and *Webhooks: Read and write*.',
    },
    {
      text: 'With an API token of an account, enter the address, a colon and the token.',
    },
    {
      text: 'At Data Center open *Manage account*, *HTTP access tokens*, *Create token* with the *Repository permissions* *Repository admin*, which webhooks need. *Repository write* is enough without them.',
    },
  ],
}

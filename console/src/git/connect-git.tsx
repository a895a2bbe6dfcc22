import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { providerName, publicHost, tokenHint } from './git-words.ts'
import type { GitConnection } from '../api/types.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, Select, textIn } from '../parts/forms.tsx'
import { GuideSteps } from '../parts/guide.tsx'
import { gitGuides } from './git-guides.ts'

type Provider = GitConnection['provider']
// `Object.keys` returns strings, and the keys of `providerName` are exactly the providers.
const providers = Object.keys(providerName) as Provider[]

/** Creates a connection from a provider, a token and a repository. The API checks the token with the provider. */
export function ConnectGit({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const [provider, setProvider] = useState<Provider>('github')
  const [repoType, setRepoType] = useState<GitConnection['repoType']>('infra')
  const connect = useMutation({
    mutationFn: (form: FormData) => {
      const optional = (name: 'host' | 'repo' | 'branch') => {
        const text = textIn(form, name).trim()
        return text && { [name]: text }
      }
      return call('createGitConnection', {
        body: {
          provider,
          repoType,
          token: textIn(form, 'token').trim(),
          ...optional('host'),
          ...optional('repo'),
          ...optional('branch'),
        },
      })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['git'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title="Connect a repository"
      act="Connect"
      acting="Asking the provider…"
      doing={connect}
      onSubmit={(form) => connect.mutate(form)}
      onClose={onClose}
    >
      <Select
        label="Provider"
        value={provider}
        onChange={({ target: { value } }) =>
          setProvider(providers.find((one) => one === value) ?? 'github')
        }
      >
        {providers.map((one) => (
          <option key={one} value={one}>
            {providerName[one]}
          </option>
        ))}
      </Select>
      <Field
        label="Host (optional)"
        name="host"
        maxLength={253}
        autoComplete="off"
        spellCheck={false}
        placeholder={publicHost[provider]}
        hint="Only for a provider that you host yourself."
      />
      <Field
        label="Token"
        name="token"
        type="password"
        required
        maxLength={600}
        autoComplete="off"
        hint={tokenHint[provider]}
      />
      <details className="guide">
        <summary>How to make the token</summary>
        <GuideSteps steps={gitGuides[provider]} />
      </details>
      <Select
        label="What for"
        value={repoType}
        onChange={({ target: { value } }) =>
          setRepoType(value === 'application' ? 'application' : 'infra')
        }
        hint={
          repoType === 'infra'
            ? 'The files of workspaces are committed here. cloud-control adds a marker file of this organization and a folder for workspaces.'
            : 'An application is built from it. cloud-control adds a marker file of this organization, and nothing else.'
        }
      >
        <option value="infra">Workspaces</option>
        <option value="application">An application</option>
      </Select>
      <Field
        label="Repository (optional)"
        name="repo"
        maxLength={300}
        autoComplete="off"
        spellCheck={false}
        placeholder="owner/name"
        hint="You can choose it later from the repositories that the token can read."
      />
      <Field
        label="Branch (optional)"
        name="branch"
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        placeholder="default branch"
      />
    </FormDialog>
  )
}

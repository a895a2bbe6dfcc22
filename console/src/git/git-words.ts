import type { GitConnection, Hydration } from '../api/types.ts'

type Look = { tone: 'good' | 'bad' | 'warn' | 'info' | 'quiet'; words: string }

export const providerName: Record<GitConnection['provider'], string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  bitbucket: 'Bitbucket',
}

export const publicHost: Record<GitConnection['provider'], string> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
}

/** The kind of token and the permissions that each provider requires. */
export const tokenHint: Record<GitConnection['provider'], string> = {
  github:
    'A fine-grained or classic personal access token that may read and write contents and pull requests.',
  gitlab: 'A project, group or personal access token with the scope api and the role Maintainer.',
  bitbucket:
    'A repository or workspace access token that may write repositories and pull requests; for Data Center an HTTP access token.',
}

export const gitStatus: Record<GitConnection['status'], Look> = {
  healthy: { tone: 'good', words: '✓ healthy' },
  initializing: { tone: 'info', words: '● being prepared' },
  invalid_token: { tone: 'bad', words: '✗ token refused' },
  unreachable: { tone: 'warn', words: '! not reached' },
  error: { tone: 'bad', words: '✗ failed' },
}

export const hydrationStatus: Record<Hydration['state'], Look> = {
  queued: { tone: 'info', words: '● is being written' },
  written: { tone: 'good', words: '✓ written' },
  proposed: { tone: 'good', words: '✓ proposed' },
  diverged: { tone: 'warn', words: '◆ needs a decision' },
  superseded: { tone: 'quiet', words: '– superseded' },
  failed: { tone: 'bad', words: '✗ failed' },
}

import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../faults.ts'

export type AgentFolder = {
  root: string
  /** A symbolic link to the release that runs. */
  current: string
  releases: string
  /** What the agent knows of each release. */
  known: string
  downloads: string
  /** One folder a deployment: its journal and its output. */
  deployments: string
  /** Token of an enrollment, trusted keys, organization. */
  state: string
}

/**
 * Makes the folders. Releases can be read by everybody, because a web server of another user serves them;
 * all else is the agent's own, since it has tokens and the output of hooks.
 */
export function openAgentFolder(root: string): AgentFolder {
  const folder: AgentFolder = {
    root,
    current: join(root, 'current'),
    releases: join(root, 'releases'),
    known: join(root, 'known'),
    downloads: join(root, 'downloads'),
    deployments: join(root, 'deployments'),
    state: join(root, 'state.json'),
  }
  mkdirSync(folder.root, { recursive: true, mode: 0o755 })
  mkdirSync(folder.releases, { recursive: true, mode: 0o755 })
  for (const own of [folder.known, folder.downloads, folder.deployments])
    mkdirSync(own, { recursive: true, mode: 0o700 })
  // A rename switches releases, and moves an unpacked one to its place.
  const device = (path: string) => statSync(path).dev
  if (device(folder.releases) !== device(folder.root))
    throw new Refusal('bad_folder', `${folder.releases} is on another file system than its parent`)
  return folder
}

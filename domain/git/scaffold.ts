/** The first files of an infra repository. Existing files are not changed. */
export const scaffoldFiles: Readonly<Record<string, string>> = {
  'README.md': `# Infrastructure

cloud-control writes the configuration of each workspace into this repository, one commit a version.

| Folder | What is in it |
|---|---|
| \`workspaces/<name>/\` | The files of one workspace. They are generated: a change made here is found before the next write, and somebody decides whether it stays. |
| \`.cloud-control/\` | Who owns this branch. Do not edit it: without it nothing is written any more. |
`,
  '.gitignore': `.terraform/
*.tfstate
*.tfstate.*
*.tfplan
crash.log
override.tf
override.tf.json
`,
  'workspaces/README.md': `# Workspaces

One folder each, written by cloud-control.
`,
}

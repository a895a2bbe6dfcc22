/** What changed for the people who use the console, the newest version first. */
export const news: ReadonlyArray<{ version: string; items: readonly string[] }> = [
  {
    version: '0.1.0',
    items: [
      'Applications: pipelines that build a repository and bring it to hosts, with approvals, hosts live by batch, and a way back. Agents are below their workspace.',
      'Labels and descriptions of workspaces and pipelines. Lists, runs and the search take a label such as team=payments, and offer those in use.',
      'Setup guides for single sign-on and provisioning by provider, with a live test of provisioning.',
      'First steps for a new organization, and notes for Owners about mail, the sandbox, keys and a second Owner.',
      'Invitations without a mail server: the inviter copies the link. The invitation says to what, as what and by whom.',
      'The timeline of a run: what it did, what it waited for, and stages that were begun again.',
      'Charts of the last 30 days on Home and on each workspace: runs a day, lead time, wait in the queue, changes a week.',
      'A list of all runs with filters, and runs that are canceled or rejected together.',
      'The plan as a list with filters and as a graph, with a sentence for each planned action.',
      'An editor with completion and the marks of the last run, and two people who edit at once lose nothing.',
      'A list of workspaces with filters, orders, favorites and views with a name, for oneself or for all members.',
    ],
  },
]

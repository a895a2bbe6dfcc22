import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Button, Check, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { memberState } from './cloud-words.ts'
import { cloudMembersQuery, type CloudMember } from './queries.ts'
import { SetupText } from './setup-text.tsx'

/** The most that the API connects in one request. */
const maxChosen = 50

/** The accounts of the AWS organization that this account may list, to connect some of them at once. */
export function Members({ accountId }: { accountId: number }) {
  const [asked, setAsked] = useState(false)
  return (
    <section className="section">
      <h2>Accounts of its organization</h2>
      <p className="section-text dim">
        The management account of an AWS organization, or a delegated administrator, lists the other
        accounts. Each needs a role of one name, which a StackSet of CloudFormation makes in all.
      </p>
      {asked ? (
        <MemberList accountId={accountId} />
      ) : (
        <Button onClick={() => setAsked(true)}>Find accounts</Button>
      )}
    </section>
  )
}

function MemberList({ accountId }: { accountId: number }) {
  const query = useInfiniteQuery(cloudMembersQuery(accountId))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const members = query.data?.pages.flatMap((page) => page.members) ?? []
  const choose = (member: CloudMember, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(member.accountId)
    else next.delete(member.accountId)
    setChosen(next)
  }
  return (
    <>
      <ErrorNote error={query.error} />
      {query.isPending && <Loading what="the accounts of the organization" />}
      <DataTable
        label="Accounts of the organization"
        rows={members.map((member) => ({ id: member.accountId, ...member }))}
        columns={[
          ...columns,
          {
            title: 'Connect',
            render: (member) =>
              member.existingId === null && member.state === 'active' ? (
                <Check
                  label="Connect"
                  aria-label={`Connect ${member.name || member.accountId}`}
                  checked={chosen.has(member.accountId)}
                  onChange={(event) => choose(member, event.target.checked)}
                />
              ) : (
                <Connected member={member} />
              ),
          },
        ]}
      />
      <LoadMore query={query} />
      {query.data?.pages[0] && (
        <SetupText
          title="CloudFormation template of the role, for a StackSet"
          text={query.data.pages[0].template}
        />
      )}
      {members.length > 0 && (
        <ConnectChosen
          accountId={accountId}
          members={members.filter((member) => chosen.has(member.accountId))}
          onDone={() => setChosen(new Set())}
        />
      )}
    </>
  )
}

const columns: ReadonlyArray<Column<CloudMember & { id: string }>> = [
  {
    title: 'Account',
    render: ({ name, accountId }) => (
      <>
        {name || accountId}
        <span className="row-sub">
          <code>{accountId}</code>
        </span>
      </>
    ),
  },
  {
    title: 'State',
    render: ({ state }) => (
      <span className={`badge ${memberState[state].tone}`}>{memberState[state].words}</span>
    ),
  },
]

function Connected({ member: { existingId } }: { member: CloudMember }) {
  if (existingId === null) return <span className="dim">cannot be connected</span>
  return (
    <Link to="/clouds/$id" params={{ id: existingId }}>
      connected
    </Link>
  )
}

type ChosenProps = { accountId: number; members: readonly CloudMember[]; onDone: () => void }

function ConnectChosen({ accountId, members, onDone }: ChosenProps) {
  const queryClient = useQueryClient()
  const connect = useMutation({
    mutationFn: (roleName: string) =>
      call('connectCloudAccountMembers', {
        params: { id: accountId },
        body: {
          roleName,
          members: members.map((member) => ({
            accountId: member.accountId,
            name: member.name || member.accountId,
          })),
        },
      }),
    onSuccess: async () => {
      onDone()
      await queryClient.invalidateQueries({ queryKey: ['clouds'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    connect.mutate(textIn(new FormData(event.currentTarget), 'roleName').trim())
  }
  const tooMany = members.length > maxChosen
  return (
    <form onSubmit={submit} className="stack">
      <Field
        label="Name of the role in each account"
        name="roleName"
        required
        maxLength={512}
        defaultValue="cloud-control"
        hint="Each role trusts this organization’s issuer for its own account, as the setup of an account shows."
      />
      <ErrorNote error={connect.error} />
      {tooMany && <p className="hint">At most {maxChosen} accounts at once.</p>}
      <span className="actions">
        <Button
          type="submit"
          tone="primary"
          busy={connect.isPending}
          disabled={members.length === 0 || tooMany}
        >
          {members.length === 1 ? 'Connect 1 account' : `Connect ${members.length} accounts`}
        </Button>
      </span>
    </form>
  )
}

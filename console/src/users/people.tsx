import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { peopleQuery } from '../api/queries.ts'
import { rolesUpTo } from '../api/roles.ts'
import type { Person } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { useOpening } from '../app/use-opening.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { FilterBox, foundWords, useAddressFilter } from '../parts/filter-box.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, Select, textIn } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { PersonDialog } from './person-dialog.tsx'
import { plainLine } from '../parts/plain-text.ts'

const route = getRouteApi('/app/organization/')

export function PeoplePage() {
  const me = useMe()
  const [edited, setEdited] = useState<Person>()
  const editor = me.may('manage_users_sso')
  const [told, setTold] = useState('')
  const [handed, setHanded] = useState<Person>()
  const navigate = useNavigate()
  const { filter, setFilter, q } = useAddressFilter(
    route.useSearch().q,
    (to) => void navigate({ to: '/organization', search: { ...(to && { q: to }) }, replace: true }),
  )
  const query = useInfiniteQuery(peopleQuery(q))
  // The viewer is signed in, so their own invitation is no longer open.
  const isInvited = ({ id, active, invited }: Person) => active && invited && id !== me.user.id
  const people = query.data?.pages.flatMap((page) => page.users) ?? []
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="people" />}
      <div className="list-head">
        <FilterBox
          label="Filter by name or address"
          value={filter}
          onChange={setFilter}
          found={foundWords(people.length, query.hasNextPage)}
        />
        {editor && <Invite told={told} onTold={setTold} onHand={setHanded} />}
      </div>
      <DataTable
        label="People"
        rows={people}
        columns={[
          {
            title: 'Person',
            render: (person) => (
              <>
                <bdi>{plainLine(person.name)}</bdi>
                {person.id === me.user.id && <span className="tag">you</span>}
                {!person.active && <span className="tag">deactivated</span>}
                {isInvited(person) && <span className="tag">invited</span>}
                {person.email && person.email !== person.name && (
                  <span className="row-sub">{person.email}</span>
                )}
              </>
            ),
          },
          { title: 'Role', render: ({ role }) => role },
          { title: 'Here since', look: 'dim', render: ({ createdAt }) => <Time at={createdAt} /> },
          editor && {
            title: 'Actions',
            look: 'actions',
            render: (person) =>
              rolesUpTo(me.user.role).includes(person.role) && (
                <>
                  {isInvited(person) && (
                    <InviteAgain person={person} onTold={setTold} onHand={setHanded} />
                  )}
                  <Button aria-label={`Change ${person.name}`} onClick={() => setEdited(person)}>
                    Change
                  </Button>
                </>
              ),
          },
        ]}
      />
      <LoadMore query={query} />
      {query.isSuccess && q === '' && people.length === 1 && editor && (
        <p className="note quiet">
          You are alone here. A production run waits for a second person: invite one.
        </p>
      )}
      {handed && <InvitationLink person={handed} onClose={() => setHanded(undefined)} />}
      {edited && <PersonDialog person={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}

type Told = {
  onTold: (what: string) => void
  /** Where no mail is sent. */
  onHand: (person: Person) => void
}

function InviteAgain({ person, onTold, onHand }: Told & { person: Person }) {
  const to = person.email ?? person.name
  return (
    <ConfirmButton
      label="Invite again…"
      name={`Invite again: ${person.name}`}
      title={`Invite ${person.name} again?`}
      act="Make a new invitation"
      run={async () => {
        const { mailed } = await call('inviteUserAgain', { params: { id: person.id } })
        if (mailed) onTold(`A new invitation is on its way to ${to}.`)
        else onHand(person)
      }}
      refresh={['people']}
    >
      {`A new link for ${to} works for seven days. Earlier links no longer work.`}
    </ConfirmButton>
  )
}

function Invite({ told, onTold, onHand }: Told & { told: string }) {
  const { user } = useMe()
  const { isOpen, open, close } = useOpening('invite', route.useSearch().invite === true)
  const queryClient = useQueryClient()
  const invite = useMutation({
    mutationFn: (form: FormData) => {
      const roles = rolesUpTo(user.role)
      const role = roles.find((one) => one === textIn(form, 'role')) ?? 'Viewer'
      return call('inviteUser', {
        body: { email: textIn(form, 'email').trim(), name: textIn(form, 'name').trim(), role },
      })
    },
    onSuccess: async ({ user: person, mailed }) => {
      if (mailed) onTold(`An invitation is on its way to ${person.email ?? person.name}.`)
      await queryClient.invalidateQueries({ queryKey: ['people'] })
      close()
      if (!mailed) onHand(person)
    },
  })
  const begin = () => {
    invite.reset()
    open()
  }
  return (
    <div className="actions">
      <span className="dim" role="status">
        {told}
      </span>
      <Button tone="primary" onClick={begin}>
        Invite a person
      </Button>
      {isOpen && (
        <FormDialog
          title="Invite a person"
          act="Invite"
          doing={invite}
          onSubmit={(form) => invite.mutate(form)}
          onClose={close}
        >
          <Field label="Email" name="email" type="email" required autoComplete="off" />
          <Field label="Name" name="name" required maxLength={200} autoComplete="off" />
          <Select
            label="Role"
            name="role"
            hint="To start or approve runs, a person needs Deployer or higher."
          >
            {rolesUpTo(user.role).map((role) => (
              <option key={role}>{role}</option>
            ))}
          </Select>
        </FormDialog>
      )}
    </div>
  )
}

import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { CopyButton } from '../parts/copy-line.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Time } from '../parts/time.tsx'

const signingKeysQuery = queryOptions({
  queryKey: ['signing-keys'],
  queryFn: ({ signal }) => call('listSigningKeys', { signal }),
})

/** The public keys of the organization, by which anybody can check where an artifact comes from. */
export function SigningKeysPage() {
  const { may } = useMe()
  const query = useQuery(signingKeysQuery)
  const keys = query.data?.signingKeys ?? []
  return (
    <>
      <div className="list-head">
        <p className="dim">
          Every artifact of an application is signed. Agents take only releases that one of these
          keys signed.
        </p>
        {may('manage_users_sso') && keys.length > 0 && <Replace />}
      </div>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="the signing keys" />}
      <DataTable
        label="Signing keys"
        rows={keys.map((key) => ({ ...key, id: key.keyId }))}
        columns={[
          { title: 'Key', render: ({ keyId }) => <code className="digest">{keyId}</code> },
          {
            title: 'State',
            render: ({ retiredAt }) =>
              retiredAt ? (
                <>
                  retired <Time at={retiredAt} />
                </>
              ) : (
                <span className="badge good">signs now</span>
              ),
          },
          { title: 'Made', look: 'dim', render: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            look: 'actions',
            render: ({ publicKey, keyId }) => (
              <CopyButton
                text={publicKey}
                what={`the public key ${keyId.slice(0, 19)}`}
                word="Copy the public key"
              />
            ),
          },
        ]}
      />
    </>
  )
}

const Replace = () => (
  <ConfirmButton
    label="Replace the key…"
    title="Replace the signing key?"
    act="Replace the key"
    run={() => call('rotateSigningKey', { body: {} })}
    refresh={signingKeysQuery.queryKey}
  >
    <p>
      What is built from now on is signed by a new key. The key of today and the new one vouch for
      each other, so agents go on without a change, and earlier artifacts can still be verified.
    </p>
    <p>
      This is no revocation. If somebody has the private key, install every agent again with the id
      of the new key.
    </p>
  </ConfirmButton>
)

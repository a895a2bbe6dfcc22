import { capabilityWords, roleMatrix } from '../api/roles.ts'
import { useMe } from '../app/session.ts'
import { Scroller } from '../parts/scroller.tsx'

/** The table of roles and capabilities. */
export function RolesPage() {
  const { user } = useMe()
  return (
    <Scroller label="Roles and what they may do">
      <table>
        <thead>
          <tr>
            <th scope="col">May</th>
            {roleMatrix.map(({ role }) => (
              <th scope="col" key={role}>
                {role}
                {role === user.role && <span className="tag">you</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {capabilityWords.map(([capability, words]) => (
            <tr key={capability}>
              <th scope="row">
                {words}
                <br />
                <code className="dim">{capability}</code>
              </th>
              {roleMatrix.map(({ role, capabilities }) => (
                <td key={role}>
                  {capabilities.includes(capability) ? (
                    <span className="good-text">✓ yes</span>
                  ) : (
                    <span className="dim">no</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

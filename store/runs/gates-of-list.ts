import { maxListedBytes } from '../../domain/policies/bound-findings.ts'

/** What the last finding of a gate says, where a list of runs does not show all of them. */
export const moreFindings = 'The run itself has more findings than this list.'

/** PostgreSQL writes JSON with spaces, which are less than a fifth of a finding's text. */
const maxTextBytes = maxListedBytes * 1.25

/**
 * SQL: the gates of `workspace_runs r`, each with its first findings. A run has up to 32 KiB of findings and a page
 * 200 runs, so all of them would take the API 6.5 MB to parse, of which the answer has at most one. No finding is
 * left out that the answer has room for (`boundFindings`).
 */
export const gatesOfList = `case when octet_length(r.gates::text) <= ${maxListedBytes} then r.gates else (
  select jsonb_agg(jsonb_set(gate, '{findings}', shown.findings) order by g.place)
  from jsonb_array_elements(r.gates) with ordinality as g (gate, place)
    cross join lateral (
      select coalesce(jsonb_agg(finding order by place) filter (where place = 1 or bytes <= ${maxTextBytes}), '[]')
        || case when bool_or(place > 1 and bytes > ${maxTextBytes})
          then jsonb_build_array(jsonb_build_object('message', '${moreFindings}')) else '[]' end as findings
      from (select finding, place, sum(octet_length(finding::text)) over (order by place) as bytes
        from jsonb_array_elements(gate -> 'findings') with ordinality as f (finding, place)) summed) shown) end`

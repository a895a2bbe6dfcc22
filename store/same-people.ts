/**
 * SQL, an array: these people of the organization that is set, and each row of theirs from before they were removed or
 * after they were added again. Who comes back with the same address or user name gets a new id, and would not count as
 * the author of what they wrote. A removed person's address can be given to somebody else, who then counts as them too.
 */
export const samePeople = (ids: string): string => `same_people(${ids})`

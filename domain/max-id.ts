/** PostgreSQL's largest `integer`: no id is above it. */
export const maxId = 2_147_483_647

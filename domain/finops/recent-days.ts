/** How many days before today `cost30Days` of a resource goes back, in UTC. Today counts as far as the bills have it. */
export const recentDays = 30

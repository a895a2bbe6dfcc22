/** How long a session lasts at most, however often it is used. */
export const sessionDays = 7

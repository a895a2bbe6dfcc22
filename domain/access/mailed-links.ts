/** How long mailed links work, from the moment they are sent. */
export const invitationHours = 7 * 24
export const resetMinutes = 30

/** How long the links in mails open something (decisions §2), from the moment at which they are sent. */
export const invitationHours = 7 * 24
export const resetMinutes = 30

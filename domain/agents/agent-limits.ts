/** A lease that its agent does not renew ends after this time, and its work can be claimed again. */
export const leaseSeconds = 45

/**
 * An agent beats every 10 s. One that was silent for this long has ended, so its next claim is given its
 * own work again; two processes with one token must not take it from each other.
 */
export const silentSeconds = 15

/** An agent whose last heartbeat or open claim is older is offline. */
export const offlineSeconds = 60

export const maxWaitSeconds = 30

/** An agent that dies so often in one action is not given it again. */
export const maxLostLeases = 5

export const maxAgentsOfWorkspace = 1_000
export const maxJoinsOfWorkspace = 100

/** Another host may take over a name after its own was offline for so long. */
export const takeOverHours = 24

/** A host that enrolled and never called lost its token: it may enroll again. */
export const unseenMinutes = 10

/** How long a token works after another took its place. */
export const rotatedMinutes = 60

/** Of one request. */
export const maxLogLines = 500
export const maxLogBodyBytes = 256 * 1024
/** To enroll, to beat and to claim. */
export const maxCallBodyBytes = 16 * 1024
export const maxResultBodyBytes = 64 * 1024

/** Of one host in one deployment, and of all of them. */
export const maxHostLogBytes = 8 * 1024 * 1024
export const maxDeployLogBytes = 512 * 1024 * 1024

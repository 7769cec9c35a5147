import GatehouseWire

/// What an operator has done to an app, or to the whole server.
enum AppEvent: String, Sendable, Hashable {
    case created = "app.created"
    case renamed = "app.renamed"
    case statusSet = "app.status-set"
    case maintenanceSet = "app.maintenance-set"
    case limitsSet = "app.limits-set"
    case policySet = "app.account-policy-set"
    case secretAdded = "app.secret-added"
    case secretRotated = "app.secret-rotated"
    case secretRevoked = "app.secret-revoked"
    case oldSecretsRevoked = "app.secrets-revoked"
    case keyRotated = "app.key-rotated"
    case keysRevoked = "app.keys-revoked"
    case clientRulesSet = "app.client-rules-set"
    case testDeviceAdded = "app.test-device-added"
    case testDeviceRemoved = "app.test-device-removed"
    case providerSet = "app.idp-set"
    case providerDisabled = "app.idp-disabled"
    case legacySourceSet = "app.legacy-source-set"
    case legacySourceClosed = "app.legacy-source-closed"
    case importBegun = "app.import-begun"
    /// An export of all members has begun.
    case membersExported = "app.members-exported"
    case importUndone = "app.import-undone"
    /// A tenth of the wrong device ids that an app may get in an hour has come.
    case legacyGuesses = "app.legacy-guesses"
    case banTemplateSet = "app.ban-template-set"
    case alertReceiverAdded = "app.alert-receiver-added"
    case alertReceiverChanged = "app.alert-receiver-changed"
    case alertReceiverRemoved = "app.alert-receiver-removed"
    case alertReceiverTested = "app.alert-receiver-tested"
    case jobRetried = "job.retried"
    case jobsRetried = "jobs.retried"
    case jobGivenUp = "job.given-up"
    /// The sessions of all members have ended.
    case everyoneKickedOut = "sessions.kicked-out"
}

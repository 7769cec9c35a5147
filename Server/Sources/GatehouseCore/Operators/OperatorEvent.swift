/// What happens to the people who use the console. Each has a record in the audit log (CON-11).
enum OperatorEvent: String, Sendable, Hashable, CaseIterable {
    case invited = "operator.invited"
    case enrolled = "operator.enrolled"
    case signedIn = "operator.signed-in"
    /// Signed in with a recovery code: the second factor is probably lost.
    case recoveryUsed = "operator.recovery-used"
    case passwordChanged = "operator.password-changed"
    case factorRenewed = "operator.factor-renewed"
    case recoveryCodesRenewed = "operator.recovery-codes-renewed"
    case factorReset = "operator.factor-reset"
    case sessionsEnded = "operator.sessions-ended"
    case preferencesSet = "operator.preferences-set"
    case granted = "operator.granted"
    case disabled = "operator.disabled"
    case enabled = "operator.enabled"
}

import GatehouseWire

extension KeyVault {
    /// What a sealed value is, and whose. The text is authenticated with the value; rows that version 1 sealed have the same
    /// one, so it is never changed.
    struct Purpose: Sendable, Hashable {
        /// Each has a key of its own.
        enum Kind: String, Sendable, CaseIterable {
            case signingKey, outcome, ticketTokens, job, providerSecrets, identityTokens, loginPlan, loginIdentity,
                check
        }

        let kind: Kind
        let text: String

        /// The private key that signs an app's access tokens.
        static func signingKey(_ id: String, of app: AppID) -> Purpose {
            Purpose(kind: .signingKey, text: "signing key \(id) of \(app)")
        }

        /// The outcome of a call that may be repeated.
        static func outcome(_ key: String, of owner: String, in app: AppID) -> Purpose {
            Purpose(kind: .outcome, text: "outcome \(key) of \(owner) in \(app)")
        }

        /// The tokens of the identity that a ticket is about.
        static func ticketTokens(_ ticket: String) -> Purpose {
            Purpose(kind: .ticketTokens, text: "tokens of ticket \(ticket)")
        }

        /// What a job needs.
        static func job(_ id: String) -> Purpose {
            Purpose(kind: .job, text: "job \(id)")
        }

        /// The secrets that an identity provider has given to the operator.
        static func providerSecrets(_ provider: Provider, in app: AppID) -> Purpose {
            Purpose(kind: .providerSecrets, text: "secrets of \(provider) in \(app)")
        }

        /// The tokens that an identity provider has issued for a member.
        static func identityTokens(_ provider: Provider, of user: UserID, in app: AppID) -> Purpose {
            Purpose(kind: .identityTokens, text: "tokens of \(provider) of \(user) in \(app)")
        }

        /// What a browser login knows of itself.
        static func loginPlan(_ attempt: String) -> Purpose {
            Purpose(kind: .loginPlan, text: "plan of login attempt \(attempt)")
        }

        /// Who came back from a browser login.
        static func loginIdentity(_ attempt: String) -> Purpose {
            Purpose(kind: .loginIdentity, text: "identity of login attempt \(attempt)")
        }

        /// The value that shows at a start whether the key is the database's.
        static let check = Purpose(kind: .check, text: "secrets")
    }

    /// What a keyed hash is of, and whose.
    struct FingerprintPurpose: Sendable, Hashable {
        /// Each has a key of its own.
        enum Kind: String, Sendable, CaseIterable {
            case transferKey, transferDevice, callOwner, callRequest
        }

        let kind: Kind
        let text: String

        static func transferKey(of app: AppID) -> FingerprintPurpose {
            FingerprintPurpose(kind: .transferKey, text: "transfer key of \(app)")
        }

        /// The device that tries transfer accounts.
        static func transferDevice(of app: AppID) -> FingerprintPurpose {
            FingerprintPurpose(kind: .transferDevice, text: "transfer device of \(app)")
        }

        /// Whose an idempotency key is.
        static let callOwner = FingerprintPurpose(kind: .callOwner, text: "owner of calls")
        /// What was asked with it.
        static let callRequest = FingerprintPurpose(kind: .callRequest, text: "request")
    }
}

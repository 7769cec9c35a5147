package import GatehouseWire

extension KeyVault {
    /// The kind and the owner of an encrypted value. The text is authenticated with the value. Rows that version 1 encrypted have the
    /// same text, so it must never change.
    package struct Purpose: Sendable, Hashable {
        /// Each kind has a separate key.
        package enum Kind: String, Sendable, CaseIterable {
            case signingKey, outcome, ticketTokens, job, providerSecrets, identityTokens, loginPlan, loginIdentity,
                check, operatorSecret, consoleForm, alertAddress, legacySource, deviceTicket
        }

        package let kind: Kind
        package let text: String

        package init(kind: Kind, text: String) {
            self.kind = kind
            self.text = text
        }

        /// The private key that signs an app's access tokens.
        package static func signingKey(_ id: String, of app: AppID) -> Purpose {
            Purpose(kind: .signingKey, text: "signing key \(id) of \(app)")
        }

        /// The outcome of a call that may be repeated.
        package static func outcome(_ key: String, of owner: String, in app: AppID) -> Purpose {
            Purpose(kind: .outcome, text: "outcome \(key) of \(owner) in \(app)")
        }

        /// The tokens of a ticket's identity.
        package static func ticketTokens(_ ticket: String) -> Purpose {
            Purpose(kind: .ticketTokens, text: "tokens of ticket \(ticket)")
        }

        /// A job's parameters.
        package static func job(_ id: String) -> Purpose {
            Purpose(kind: .job, text: "job \(id)")
        }

        /// An identity provider's secrets, which the operator has entered.
        package static func providerSecrets(_ provider: Provider, in app: AppID) -> Purpose {
            Purpose(kind: .providerSecrets, text: "secrets of \(provider) in \(app)")
        }

        /// The tokens from an identity provider for a member.
        package static func identityTokens(_ provider: Provider, of user: UserID, in app: AppID) -> Purpose {
            Purpose(kind: .identityTokens, text: "tokens of \(provider) of \(user) in \(app)")
        }

        /// The data of a browser login.
        package static func loginPlan(_ attempt: String) -> Purpose {
            Purpose(kind: .loginPlan, text: "plan of login attempt \(attempt)")
        }

        /// The identity that a browser login has brought.
        package static func loginIdentity(_ attempt: String) -> Purpose {
            Purpose(kind: .loginIdentity, text: "identity of login attempt \(attempt)")
        }

        /// The second factor of an operator or of an invitation.
        package static func operatorSecret(_ owner: String) -> Purpose {
            Purpose(kind: .operatorSecret, text: "second factor of \(owner)")
        }

        /// What somebody has typed in the console before the session ended.
        package static let consoleForm = Purpose(kind: .consoleForm, text: "console form")

        /// Where a receiver of alerts is.
        package static func alertAddress(_ receiver: String, in app: AppID) -> Purpose {
            Purpose(kind: .alertAddress, text: "address of alert receiver \(receiver) in \(app)")
        }

        /// The keys of a system that players come from.
        package static func legacySource(_ name: String, of app: AppID) -> Purpose {
            Purpose(kind: .legacySource, text: "source \(name) of \(app)")
        }

        /// The tickets with which devices let the game's own server bring them a player.
        package static func deviceTicket(of app: AppID) -> Purpose {
            Purpose(kind: .deviceTicket, text: "device ticket of \(app)")
        }

        /// The value that shows at the start whether the key belongs to the database.
        package static let check = Purpose(kind: .check, text: "secrets")
    }

    /// The kind and the owner of a keyed hash.
    package struct FingerprintPurpose: Sendable, Hashable {
        /// Each kind has a separate key.
        package enum Kind: String, Sendable, CaseIterable {
            case transferKey, transferDevice, callOwner, callRequest, legacyParty, operatorAttempt
        }

        package let kind: Kind
        package let text: String

        package static func transferKey(of app: AppID) -> FingerprintPurpose {
            FingerprintPurpose(kind: .transferKey, text: "transfer key of \(app)")
        }

        /// A device that tries transfer accounts.
        package static func transferDevice(of app: AppID) -> FingerprintPurpose {
            FingerprintPurpose(kind: .transferDevice, text: "transfer device of \(app)")
        }

        /// A device, a network or an app whose wrong ids of another system are counted.
        package static func legacyParty(of app: AppID) -> FingerprintPurpose {
            FingerprintPurpose(kind: .legacyParty, text: "legacy party of \(app)")
        }

        /// A name, a browser or a network that tries to sign in to the console.
        package static let operatorAttempt = FingerprintPurpose(kind: .operatorAttempt, text: "attempt of an operator")
        /// The owner of an idempotency key.
        package static let callOwner = FingerprintPurpose(kind: .callOwner, text: "owner of calls")
        /// The request that was made with an idempotency key.
        package static let callRequest = FingerprintPurpose(kind: .callRequest, text: "request")
    }
}

package import GatehouseSecurity
package import GatehouseWire

/// A call of a player that was refused. It is kept for a few days, so that an operator can explain the error that a player reports. The
/// caller's address is not a part of it.
package struct RefusedCall: Sendable, Hashable {
    /// Ids sort in chronological order.
    package let id: String
    package let app: AppID
    /// The id that the player's error shows.
    package let transactionID: String
    package let code: ErrorCode
    package let reason: ErrorReason?
    /// The endpoint, such as `/v1/apps/{appId}/login`.
    package let call: String
    package let provider: Provider?
    package let key: KeyThumbprint?
    package let user: UserID?
    /// The header with the device information, as the device has sent it.
    package let client: String?
    package let date: Moment

    /// Whether the identity belongs to another member.
    var isConflict: Bool { code == .authAddMappingAlreadyMappedToOtherMember }
}

/// What a door knows of a call that was refused.
package struct RefusedCaller: Sendable {
    let call: String
    let provider: Provider?
    let client: String?
    let key: KeyThumbprint?
    let user: UserID?
    /// The session of the caller's refresh token, whose secret may be wrong.
    let session: SessionID?
    package let moment: Moment

    /// Whether the call has shown no member. A refresh token shows none before it has been verified: anybody can make one up.
    var isStranger: Bool { user == nil }

    /// - Parameter actor: nil for a call that was refused before its caller was known.
    package init(call: String, provider: Provider?, client: String?, actor: Actor?, at moment: Moment) {
        self.call = call
        self.provider = provider.flatMap { provider in
            let name = provider.rawValue.utf8
            return name.count <= 64 && !name.contains(0) ? provider : nil
        }
        self.client = client.flatMap { $0.utf8.count <= ClientInformation.maximumLength ? $0 : nil }
        self.moment = moment
        key = actor?.key
        switch actor?.principal {
        case .player(let claims): (user, session) = (claims.user, nil)
        case .tokenHolder(let token, _):
            (user, session) = (nil, SplitToken(token.secretValue).map { SessionID($0.id) })
        default: (user, session) = (nil, nil)
        }
    }
}

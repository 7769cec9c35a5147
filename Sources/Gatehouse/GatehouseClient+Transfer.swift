public import GatehouseWire

extension GatehouseClient {
    /// Issues an id and a password that move this guest to another device. On the server, issuing again makes the old pair invalid.
    ///
    /// - Returns: the pair. The password is returned only here and by a renewal, because the server keeps only a hash.
    /// - Throws: ``ErrorCode/notLoggedIn`` (2), ``ErrorCode/authAlreadyInProgress`` (3010); ``ErrorCode/notGuestOrHasOthers`` (9)
    ///   unless guest is the member's only identity; ``ErrorCode/authTransferAccountConsoleNoCondition`` (3045) while the app has
    ///   no transfer policy; ``ErrorCode/authInvalidGatehouseToken`` (3011), ``ErrorCode/socketResponseTimeout`` (101),
    ///   ``ErrorCode/socketError`` (110), ``ErrorCode/serverInternalError`` (8001), and ``ErrorCode/serverInternalError`` (8001)
    ///   with a time to wait after too many calls.
    public func issueTransferAccount() async throws(AuthError) -> TransferAccount {
        try await authenticating { () async throws(AuthError) in
            try await authorized(Endpoints.issueTransferAccount, Empty())
        }
    }

    /// Asks what was issued. Nothing changes on the server.
    ///
    /// - Returns: the transfer account, without the password.
    /// - Throws: as ``issueTransferAccount()``, and ``ErrorCode/authTransferAccountNotExist`` (3046) when nothing was issued.
    public func queryTransferAccount() async throws(AuthError) -> TransferAccount {
        try await authorized(Endpoints.queryTransferAccount, Empty())
    }

    /// Renews the password, or both id and password, generated or chosen by the player. On the server, the old pair becomes invalid
    /// at once.
    ///
    /// - Parameter renewal: what is renewed, and who chooses it.
    /// - Returns: the new pair, with the password.
    /// - Throws: as ``issueTransferAccount()``; ``ErrorCode/authTransferAccountNotExist`` (3046) when nothing was issued;
    ///   ``ErrorCode/invalidParameter`` (3) when the player's choice does not satisfy the app's policy;
    ///   ``ErrorCode/authTransferAccountAlreadyExistID`` (3047) when the chosen id is in use.
    public func renewTransferAccount(_ renewal: TransferRenewal) async throws(AuthError) -> TransferAccount {
        try await authenticating { () async throws(AuthError) in
            try await authorized(Endpoints.renewTransferAccount, renewal)
        }
    }

    /// Moves the guest of a transfer account to this device, and logs it in. The old device's sessions end. The player loses the guest
    /// that was on this device; for a limited time an operator can restore it.
    ///
    /// - Parameter id: the id as the player enters it.
    /// - Parameter password: the password as the player enters it.
    /// - Returns: the guest, its standing, and the session.
    /// - Throws: ``ErrorCode/notInitialized`` (1), ``ErrorCode/authAlreadyInProgress`` (3010); ``ErrorCode/notGuestOrHasOthers``
    ///   (9) when this device is logged in with a provider, or the issuer is no longer only a guest; ``ErrorCode/sameRequestor``
    ///   (8) on the device that issued it; ``ErrorCode/authTransferAccountInvalidID`` (3043) for an unknown id,
    ///   ``ErrorCode/authTransferAccountInvalidPassword`` (3044) for a wrong password, ``ErrorCode/authTransferAccountExpired``
    ///   (3041) when it has expired, ``ErrorCode/authTransferAccountAlreadyUsed`` (3048) when it was already used;
    ///   ``ErrorCode/authTransferAccountBlock`` (3042) after too many wrong ids or passwords in a row, with
    ///   ``AuthError/transferBlock``; ``ErrorCode/authTransferAccountConsoleNoCondition`` (3045), ``ErrorCode/bannedMember`` (7),
    ///   ``ErrorCode/authNotPlayable`` (3701), ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError`` (110),
    ///   ``ErrorCode/serverInternalError`` (8001).
    @discardableResult
    public func redeemTransferAccount(id: String, password: TransferPassword) async throws(AuthError) -> Login {
        try await redeem(Endpoints.redeemTransferAccount, TransferRedemption(id: id, password: password))
    }

    /// Issues a transfer key: eight letters that move this guest to another device. On the server, an earlier key of this
    /// guest becomes invalid.
    ///
    /// - Parameter duration: how long the key is valid, in whole seconds: 1 second to 30 days.
    /// - Returns: the key, which is returned only here.
    /// - Throws: as ``issueTransferAccount()``, and ``ErrorCode/invalidParameter`` (3) for any other duration;
    ///   ``ErrorCode/authTransferAccountConsoleNoCondition`` (3045) where the operator has disabled keys.
    public func issueTransferKey(validFor duration: Duration) async throws(AuthError) -> TransferKey {
        try await authenticating { () async throws(AuthError) in
            try await authorized(
                Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: duration.components.seconds))
        }
    }

    /// Moves the guest of a transfer key to this device, and logs it in. The same changes on the server as with a transfer account.
    ///
    /// - Parameter key: the eight letters as the player enters them.
    /// - Returns: the guest, its standing, and the session.
    /// - Throws: ``ErrorCode/notInitialized`` (1), ``ErrorCode/authAlreadyInProgress`` (3010); ``ErrorCode/notGuestOrHasOthers``
    ///   (9), ``ErrorCode/sameRequestor`` (8) as ``redeemTransferAccount(id:password:)``; ``ErrorCode/authTransferKeyNotExist``
    ///   (3033) for an unknown key, ``ErrorCode/authTransferKeyConsumed`` (3032) for a used one,
    ///   ``ErrorCode/authTransferKeyExpired`` (3031) for one that has expired; ``ErrorCode/authTransferAccountConsoleNoCondition``
    ///   (3045), ``ErrorCode/bannedMember`` (7), ``ErrorCode/authNotPlayable`` (3701), ``ErrorCode/socketResponseTimeout`` (101),
    ///   ``ErrorCode/socketError`` (110), ``ErrorCode/serverInternalError`` (8001).
    @discardableResult
    public func redeemTransferKey(_ key: TransferKeySecret) async throws(AuthError) -> Login {
        try await redeem(Endpoints.redeemTransferKey, TransferKeyRedemption(transferKey: key))
    }

    private func redeem<Request>(
        _ endpoint: Endpoint<Request, Login>, _ request: Request
    ) async throws(AuthError) -> Login {
        try requireStart()
        try beginAuthentication()
        defer { isAuthenticating = false }
        if published.snapshot.isSignedIn, published.snapshot.session?.provider != .guest {
            throw AuthError(.notGuestOrHasOthers)
        }
        let key: StoredKey
        do { key = try store.deviceKey() } catch { throw reportLockedStorage(as: .authIDPLoginFailed, error) }
        return try await openSession(failingWith: .authIDPLoginFailed) { () async throws(AuthError) in
            try await api.send(endpoint, request, .init(key: key))
        }
    }
}

public import GatehouseWire

extension GatehouseClient {
    /// Issues an id and a password that move this guest to another device. Issuing again makes the old pair invalid.
    ///
    /// - Returns: the pair. The password is returned only here and by a renewal, because the server keeps only a hash.
    /// - Throws: 2, 3010; 9 unless guest is the member's only identity; 3045 while the app has no transfer policy; 3011, 101, 110,
    ///   8001, and 8001 with a time to wait after too many calls.
    public func issueTransferAccount() async throws(AuthError) -> TransferAccount {
        try await authenticating { () async throws(AuthError) in
            try await authorized(Endpoints.issueTransferAccount, Empty())
        }
    }

    /// Returns what was issued, without the password. Nothing changes on the server.
    ///
    /// - Throws: as ``issueTransferAccount()``, and 3046 when nothing was issued.
    public func queryTransferAccount() async throws(AuthError) -> TransferAccount {
        try await authorized(Endpoints.queryTransferAccount, Empty())
    }

    /// Renews the password, or both id and password, generated or chosen by the player. The old pair becomes invalid at once.
    ///
    /// - Throws: as ``issueTransferAccount()``; 3046 when nothing was issued; 3 when the player's choice does not satisfy the app's
    ///   policy; 3047 when the chosen id is in use.
    public func renewTransferAccount(_ renewal: TransferRenewal) async throws(AuthError) -> TransferAccount {
        try await authenticating { () async throws(AuthError) in
            try await authorized(Endpoints.renewTransferAccount, renewal)
        }
    }

    /// Moves the guest of a transfer account to this device, and logs it in. The old device's sessions end. The player loses the guest
    /// that was on this device; for a limited time an operator can restore it.
    ///
    /// - Throws: 1, 3010; 9 when this device is logged in with a provider, or the issuer is no longer only a guest; 8 on the device
    ///   that issued it; 3043 for an unknown id, 3044 for a wrong password, 3041 when it has expired, 3048 when it was already used;
    ///   3042 after too many wrong ids or passwords in a row, with ``AuthError/transferBlock``; 3045, 7, 3701, 101, 110, 8001.
    @discardableResult
    public func redeemTransferAccount(id: String, password: TransferPassword) async throws(AuthError) -> Login {
        try await redeem(Endpoints.redeemTransferAccount, TransferRedemption(id: id, password: password))
    }

    /// Issues a transfer key: eight letters that move this guest to another device.
    ///
    /// - Parameter duration: how long the key is valid, in whole seconds: up to 30 days.
    /// - Throws: as ``issueTransferAccount()``, and 3 for any other duration; 3045 where the operator has disabled keys.
    public func issueTransferKey(validFor duration: Duration) async throws(AuthError) -> TransferKey {
        try await authenticating { () async throws(AuthError) in
            try await authorized(
                Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: duration.components.seconds))
        }
    }

    /// Moves the guest of a transfer key to this device, and logs it in.
    ///
    /// - Throws: 1, 3010; 9, 8 as ``redeemTransferAccount(id:password:)``; 3033 for an unknown key, 3032 for a used one, 3031 for
    ///   one that has expired; 3045, 7, 3701, 101, 110, 8001.
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
        let key: DeviceKey
        do { key = try store.deviceKey() } catch { throw reportLockedStorage(as: .authIDPLoginFailed, error) }
        return try await openSession(failingWith: .authIDPLoginFailed) { () async throws(AuthError) in
            try await api.send(endpoint, request, .init(key: key))
        }
    }
}

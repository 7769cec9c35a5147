public import GatehouseWire

extension Gatehouse {
    /// Issues an id and a password that move this guest to another device. Issuing again voids the old pair.
    ///
    /// - Returns: the pair. The password is shown only here and by a renewal: the server keeps a hash.
    /// - Throws: 2, 3010; 9 unless the member's one identity is guest; 3045 while the app has no transfer policy; 3011, 101, 110,
    ///   8001, 8001 with a time to come back when too many ask.
    public func issueTransferAccount() async throws(AuthError) -> TransferAccount {
        try await authenticating { () async throws(AuthError) in
            try await authorized(Endpoints.issueTransferAccount, Empty())
        }
    }

    /// What was issued, without the password. Nothing changes on the server.
    ///
    /// - Throws: as ``issueTransferAccount()``, and 3046 when nothing was.
    public func queryTransferAccount() async throws(AuthError) -> TransferAccount {
        try await authorized(Endpoints.queryTransferAccount, Empty())
    }

    /// Renews the password, or both id and password; generated, or the player's own. The old pair is void at once.
    ///
    /// - Throws: as ``issueTransferAccount()``; 3046 when nothing was issued; 3 when the player's own do not satisfy the app's
    ///   policy; 3047 when the player's own id is in use.
    public func renewTransferAccount(_ renewal: TransferRenewal) async throws(AuthError) -> TransferAccount {
        try await authenticating { () async throws(AuthError) in
            try await authorized(Endpoints.renewTransferAccount, renewal)
        }
    }

    /// Moves the guest of a transfer account to this device, and logs it in. The old device's sessions end; the guest that was
    /// on this device is lost, for the player: an operator can bring it back for a while.
    ///
    /// - Throws: 1, 3010; 9 when this device is logged in with a provider, or the issuer is no pure guest any more; 8 on the
    ///   device that issued it; 3043 for an unknown id, 3044 for a wrong password, 3041 when it has expired, 3048 when it was
    ///   used; 3042 after too many wrong ids or passwords in a row, with ``AuthError/transferBlock``; 3045, 7, 3701, 101, 110, 8001.
    @discardableResult
    public func redeemTransferAccount(id: String, password: TransferPassword) async throws(AuthError) -> Login {
        try await redeem(Endpoints.redeemTransferAccount, TransferRedemption(id: id, password: password))
    }

    /// Issues a transfer key: eight letters that move this guest to another device.
    ///
    /// - Parameter duration: how long it is valid, in whole seconds: up to 30 days.
    /// - Throws: as ``issueTransferAccount()``, and 3 for another duration; 3045 where the operator has switched keys off.
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
        do { key = try store.deviceKey() } catch { throw locked(.authIDPLoginFailed, error) }
        return try await enter(.authIDPLoginFailed) { () async throws(AuthError) in
            try await api.send(endpoint, request, .init(key: key))
        }
    }
}

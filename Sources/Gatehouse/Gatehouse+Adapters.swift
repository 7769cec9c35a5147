import GatehouseWire

extension Gatehouse {
    /// A credential from the provider's adapter.
    ///
    /// - Parameter notConfigured: the code of the call for a provider that the app does not have.
    func credential(
        from provider: Provider, _ additionalInfo: [String: JSONValue], notConfigured: ErrorCode
    ) async throws(AuthError) -> Credential {
        guard let adapter = configuration.adapters.first(where: { $0.provider == provider }) else {
            throw AuthError(.authNotSupportedProvider)
        }
        guard let settings = launching?.providers[provider] else { throw AuthError(notConfigured) }
        if !startedAdapters.contains(provider) {
            do {
                try await adapter.start(settings)
            } catch {
                throw Self.failure(of: error, else: .authExternalLibraryInitializationError)
            }
            startedAdapters.insert(provider)
        }
        do {
            return try await adapter.logIn(AdapterRequest(settings: settings, additionalInfo: additionalInfo))
        } catch {
            throw Self.failure(of: error, else: .authExternalLibraryError)
        }
    }

    private static func failure(of error: any Error, else code: ErrorCode) -> AuthError {
        switch error {
        case let error as AuthError: error
        case is CancellationError, AdapterError.cancelled: AuthError(.authUserCanceled, underlying: error)
        case AdapterError.externalLoginRequired:
            AuthError(.authIDPLoginExternalAuthenticationRequired, underlying: error)
        default: AuthError(code, underlying: error)
        }
    }

    /// Logs adapters out of their providers: of one, or of all.
    func logOutAdapters(of provider: Provider? = nil) async {
        for adapter in configuration.adapters where provider == nil || adapter.provider == provider {
            await adapter.logOut()
        }
    }
}

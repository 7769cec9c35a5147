#if canImport(AuthenticationServices) && canImport(Security)
import AuthenticationServices
import Crypto
import Foundation
public import GatehouseWire

#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// Sign in with Apple, on Apple's systems: the system's own sheet, without a browser. The server verifies Apple's token, and exchanges
/// the code beside it so that Apple can be notified of a withdrawal.
public struct SignInWithAppleAdapter: AuthAdapter {
    /// Always ``Provider/apple``.
    public let provider: Provider
    /// The system's sheet has no options.
    public var additionalInfoKeys: [String]? { [] }
    private let names: PendingNames

    /// Makes an adapter for the system's sheet.
    ///
    /// - Parameter provider: the name of the provider, if the app has given it another one.
    /// - Parameter storage: where a name is kept until the server has it, because Apple sends it only once.
    public init(_ provider: Provider = .apple, storage: (any SecureStorage)? = nil) {
        self.provider = provider
        names = PendingNames(storage: storage ?? KeychainStorage(appID: "sign-in-with-apple"))
    }

    /// Shows the system's sheet, and returns Apple's ID token and code.
    public func logIn(_ request: AdapterRequest) async throws -> Credential {
        let nonce = SHA256.hash(data: SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
            .map { String(format: "%02x", $0) }.joined()
        let apple = try await AppleAuthorization.credential(nonce: nonce, over: request.presentationAnchor)
        guard let token = apple.identityToken.flatMap({ String(data: $0, encoding: .utf8) }) else {
            throw AdapterError.failed(code: 0, message: "Apple has given no token.")
        }
        var credential = Credential(provider: provider, idToken: ProviderToken(token), nonce: nonce)
        credential.authorizationCode = apple.authorizationCode.flatMap { String(data: $0, encoding: .utf8) }
            .map { ProviderToken($0) }
        let name = [apple.fullName?.givenName, apple.fullName?.familyName].compactMap(\.self).joined(separator: " ")
        if !name.isEmpty { try? names.keep(name, of: apple.user) }
        credential.personName = (try? names.name(of: apple.user)) ?? (name.isEmpty ? nil : name)
        return credential
    }

    /// Forgets the name that Apple gives only once: the server has it now.
    public func didLogIn(with credential: Credential) async {
        if let name = credential.personName { try? names.forget(name) }
    }
}

@MainActor
private final class AppleAuthorization: NSObject, ASAuthorizationControllerDelegate,
    ASAuthorizationControllerPresentationContextProviding
{
    private let anchor: PresentationAnchor
    private var continuation: CheckedContinuation<ASAuthorizationAppleIDCredential, any Error>?

    private init(anchor: PresentationAnchor) {
        self.anchor = anchor
    }

    static func credential(
        nonce: String, over anchor: PresentationAnchor?
    ) async throws -> ASAuthorizationAppleIDCredential {
        let request = ASAuthorizationAppleIDProvider().createRequest()
        request.requestedScopes = [.fullName]
        request.nonce = nonce
        let controller = ASAuthorizationController(authorizationRequests: [request])
        let delegate = AppleAuthorization(anchor: anchor ?? PresentationAnchor())
        controller.delegate = delegate
        controller.presentationContextProvider = delegate
        let credential = try await withCheckedThrowingContinuation { continuation in
            delegate.continuation = continuation
            controller.performRequests()
        }
        // The controller holds its delegate weakly, so the delegate must be kept alive here.
        withExtendedLifetime(delegate) {}
        return credential
    }

    private func end(_ result: Result<ASAuthorizationAppleIDCredential, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
    }

    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        if let credential = authorization.credential as? ASAuthorizationAppleIDCredential {
            end(.success(credential))
        } else {
            end(.failure(AdapterError.failed(code: 0, message: "Apple has given another kind of credential.")))
        }
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        end(.failure((error as? ASAuthorizationError)?.code == .canceled ? AdapterError.cancelled : error))
    }

    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor }
}
#endif

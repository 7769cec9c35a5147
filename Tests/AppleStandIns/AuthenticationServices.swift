// The parts of Apple's AuthenticationServices that Gatehouse uses, as names and types only.
import Foundation
import UIKit

public typealias ASPresentationAnchor = UIWindow

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: AnyObject {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

@MainActor public final class ASWebAuthenticationSession {
    public init(
        url: URL, callbackURLScheme: String?, completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {}
    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false
    public func start() -> Bool { true }
    public func cancel() {}
}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Sendable { case canceledLogin }
    public let code: Code
}

public protocol ASAuthorizationCredential {}

public final class ASAuthorizationAppleIDCredential: ASAuthorizationCredential, @unchecked Sendable {
    public let user = ""
    public let identityToken: Data? = nil
    public let authorizationCode: Data? = nil
    public let fullName: PersonNameComponents? = nil
}

public enum ASAuthorizationScope { case fullName }

public class ASAuthorizationRequest {}

public final class ASAuthorizationAppleIDRequest: ASAuthorizationRequest {
    public var requestedScopes: [ASAuthorizationScope]?
    public var nonce: String?
}

public final class ASAuthorizationAppleIDProvider {
    public init() {}
    public func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest() }
}

public final class ASAuthorization {
    public let credential: any ASAuthorizationCredential = ASAuthorizationAppleIDCredential()
}

public struct ASAuthorizationError: Error {
    public enum Code: Sendable { case canceled }
    public let code: Code
}

@MainActor public protocol ASAuthorizationControllerDelegate: AnyObject {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

@MainActor public protocol ASAuthorizationControllerPresentationContextProviding: AnyObject {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

@MainActor public final class ASAuthorizationController {
    public init(authorizationRequests: [ASAuthorizationRequest]) {}
    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    public weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?
    public func performRequests() {}
}

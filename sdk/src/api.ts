/** The types of the API. Written by `npm run generate` from the API document. */

export interface paths {
  "/access/applications/{applicationId}/assignments": {
    /**
     * List an application's assignments
     * @description Returns the roles of an application in the order in which they were assigned, including expired ones, which are kept for a day.
     *
     *     Requires the permission `console.access.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The id of the organization; by default the one of the credential. */
          orgId?: string;
        };
        path: {
          /** @description The id of the application (`app_…`). */
          applicationId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AssignmentPage"];
          };
        };
      };
    };
  };
  "/access/assignments": {
    /**
     * Assign a role to a member or an application
     * @description Gives a role to a member (`userId`) or an application (`applicationId`), optionally until `expiresAt`. Your credential must hold every permission of the role (`SCOPE_NOT_HELD`). A role that is already assigned is not assigned twice: the answer is the existing assignment, with the new `expiresAt`. A built-in role such as `role_admin` replaces the member's present built-in role; this also needs `console.orgs.write`.
     *
     *     Requires the permission `console.access.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["AssignmentInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Assignment"];
          };
        };
      };
    };
  };
  "/access/assignments/{assignmentId}": {
    /**
     * Remove a role assignment
     * @description Removes a role from a member or an application; your credential must hold the permissions of the role. The assignment of a built-in role is the membership itself: without it the member leaves the organization and loses all other assignments. The last owner cannot be removed (`LAST_OWNER`).
     *
     *     Requires the permission `console.access.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the role assignment (`asg_…`). */
          assignmentId: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/access/check": {
    /**
     * Check whether a user or an application holds a permission
     * @description Answers whether a user or an application holds a permission now, by all of its roles. Unknown users, applications and permissions are denied, not refused. To see a change you have just made, send its `Access-Revision` header as `minRevision`: the check waits for it for up to two seconds, then answers `REVISION_NOT_REACHED`.
     *
     *     Requires the permission `access.check`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["AccessCheckInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AccessDecision"];
          };
        };
      };
    };
  };
  "/access/check/batch": {
    /**
     * Check up to 1,000 permissions
     * @description Answers up to 1,000 checks in one request, in the order in which they were sent. Checks may be about different organizations of the caller; with `minRevision` all must be about the same one. One check that names an organization you do not belong to refuses the request with `NOT_FOUND`.
     *
     *     Requires the permission `access.check`. The body has at most 512 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["AccessCheckBatchInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AccessDecisionBatch"];
          };
        };
      };
    };
  };
  "/access/explain": {
    /**
     * Explain why a check is allowed or denied
     * @description Answers like a check and says why: the assignments and included roles that allow it, or what is missing and which roles would grant it. Use it to answer a person's question; use the check in programs, because it is faster.
     *
     *     Requires the permission `console.access.read`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["AccessCheckInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AccessExplanation"];
          };
        };
      };
    };
  };
  "/access/permissions": {
    /**
     * List permissions
     * @description Returns the permissions that roles of the organization can contain, sorted by key: the platform's own (`isSystem: true`) and the keys that the organization registered. `namespace` limits the list to the keys that begin with it.
     *
     *     Requires the permission `console.access.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The first part of permission keys, such as `shop`. */
          namespace?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["PermissionPage"];
          };
        };
      };
    };
    /**
     * Register a namespace's permissions
     * @description Registers up to 500 permission keys of your own applications, so that roles can contain them. All keys begin with `namespace`, which must not be a namespace of the platform. The call can be repeated with every release: a known key stays and gets the new `description`, and no key is ever removed. More keys than the plan allows are refused with `PLAN_LIMIT_EXCEEDED`.
     *
     *     Requires the permission `console.access.write`. The body has at most 512 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["PermissionRegistrationInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["RegisteredPermissions"];
          };
        };
      };
    };
  };
  "/access/permissions/{key}/users": {
    /**
     * List the members who hold a permission
     * @description Returns every member who holds a permission now, sorted by user id. All pages together omit no member.
     *
     *     Requires the permission `console.access.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The id of the organization; by default the one of the credential. */
          orgId?: string;
        };
        path: {
          /** @description The permission key, such as `shop.orders.refund`. */
          key: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["PermissionHolderPage"];
          };
        };
      };
    };
  };
  "/access/roles": {
    /**
     * List roles
     * @description Returns the built-in roles `role_owner`, `role_admin` and `role_member`, then the roles of the organization in the order of their creation. A page of large roles can be shorter than `limit`; only `nextCursor` says whether there are more.
     *
     *     Requires the permission `console.access.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["RolePage"];
          };
        };
      };
    };
    /**
     * Create a role
     * @description Creates a role from permission keys and from other roles, which it then includes. You can only put permissions into it that your credential holds; otherwise the answer is `SCOPE_NOT_HELD`. Unknown keys and roles, and roles that would include themselves, are refused with `INPUT_INVALID`.
     *
     *     Requires the permission `console.access.write`. The body has at most 256 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["RoleInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Role"];
          };
        };
      };
    };
  };
  "/access/roles/{id}": {
    /**
     * Read a role
     * @description Returns one role with the permissions and roles it contains. Send the `ETag` of the answer as `If-Match` when you change or delete the role, so that you never overwrite a change you have not seen.
     *
     *     Requires the permission `console.access.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the role: `role_…`, or built in `role_owner`, `role_admin` or `role_member`. */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Role"];
          };
        };
      };
    };
    /**
     * Delete a role
     * @description Deletes a role, removes its assignments, and removes it from the roles that include it. Your credential must hold every permission of the role. Built-in roles cannot be deleted (`ROLE_READ_ONLY`).
     *
     *     Requires the permission `console.access.write`.
     */
    delete: {
      parameters: {
        header?: {
          /** @description The `ETag` of the role as you know it, with its quotes; the role is changed only if it still has it. `*` for any. */
          "if-match"?: string;
        };
        path: {
          /** @description The id of the role: `role_…`, or built in `role_owner`, `role_admin` or `role_member`. */
          id: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change a role
     * @description Changes the fields that the body names; a list replaces the present one. Everyone who has the role gains and loses permissions with it, so your credential must hold all that are added or removed (`SCOPE_NOT_HELD`). Built-in roles cannot be changed (`ROLE_READ_ONLY`). With `If-Match`, a role that was changed since is refused with `PRECONDITION_FAILED`.
     *
     *     Requires the permission `console.access.write`. The body has at most 256 KiB.
     */
    patch: {
      parameters: {
        header?: {
          /** @description The `ETag` of the role as you know it, with its quotes; the role is changed only if it still has it. `*` for any. */
          "if-match"?: string;
        };
        path: {
          /** @description The id of the role: `role_…`, or built in `role_owner`, `role_admin` or `role_member`. */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["RoleUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Role"];
          };
        };
      };
    };
  };
  "/access/roles/{id}/assignments": {
    /**
     * List a role's assignments
     * @description Lists the applications and members of your organization that have the role, expired assignments included. The assignments of a system role such as `role_owner` are the memberships.
     *
     *     Requires the permission `console.access.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The id of the role: `role_…`, or built in `role_owner`, `role_admin` or `role_member`. */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AssignmentPage"];
          };
        };
      };
    };
  };
  "/access/users/{userId}/permissions": {
    /**
     * List a member's permissions
     * @description Returns the keys of all permissions that a member holds now by roles, sorted, including the platform's own. Assignments that have expired do not count.
     *
     *     Requires the permission `console.access.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The id of the organization; by default the one of the credential. */
          orgId?: string;
        };
        path: {
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["HeldPermissionPage"];
          };
        };
      };
    };
  };
  "/applications": {
    /**
     * List the organization's applications
     * @description Returns the applications of the organization, the newest first.
     *
     *     Requires the permission `console.apps.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["ApplicationPage"];
          };
        };
      };
    };
    /**
     * Create an application
     * @description Creates an application: the owner of API keys, of an OAuth client and of roles. Its slug is unique on the whole platform and never changes (`SLUG_TAKEN`). An application beyond the plan is refused with `PLAN_LIMIT_EXCEEDED`.
     *
     *     Requires the permission `console.apps.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["ApplicationInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Application"];
          };
        };
      };
    };
  };
  "/applications/{id}/api-keys": {
    /**
     * List an application's API keys
     * @description Returns the keys of an application that are not revoked, the newest first, including expired ones. A token is never shown again; `lastUsedAt` helps to find keys that nothing uses.
     *
     *     Requires the permission `console.apps.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The id of the application (`app_…`). */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["ApiKeyPage"];
          };
        };
      };
    };
    /**
     * Create an API key
     * @description Creates an API key. Its `token` is in this answer only: store it, because it cannot be read later. You can only give scopes that your credential holds (`SCOPE_NOT_HELD`). A key beyond the plan is refused with `PLAN_LIMIT_EXCEEDED`; revoked and expired keys do not count.
     *
     *     Requires the permission `console.apps.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the application (`app_…`). */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ApiKeyInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["CreatedApiKey"];
          };
        };
      };
    };
  };
  "/applications/{id}/api-keys/{keyId}": {
    /**
     * Revoke an API key
     * @description Revokes an API key, possibly the one of this request. Requests with it are refused with `CREDENTIAL_INVALID`, on every node within a second.
     *
     *     Requires the permission `console.apps.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the application (`app_…`). */
          id: string;
          /** @description The id of the API key (`key_…`). */
          keyId: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/applications/{slug}": {
    /**
     * Read an application
     * @description Returns one application of the organization. The application of another organization is `NOT_FOUND`.
     *
     *     Requires the permission `console.apps.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The slug of the application. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Application"];
          };
        };
      };
    };
    /**
     * Delete an application
     * @description Deletes an application with its API keys, its OAuth client and its roles. Its credentials stop working immediately, possibly including the one of this request. This cannot be undone.
     *
     *     Requires the permission `console.apps.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The slug of the application. */
          slug: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change an application
     * @description Changes the name or the description of an application; null clears the description. The slug never changes.
     *
     *     Requires the permission `console.apps.write`. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The slug of the application. */
          slug: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ApplicationUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Application"];
          };
        };
      };
    };
  };
  "/applications/{slug}/oauth-client": {
    /**
     * Read an application's OAuth client
     * @description Returns the OAuth client of an application, without its secret. An application without one is `NOT_FOUND`.
     *
     *     Requires the permission `console.apps.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The slug of the application. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OAuthClient"];
          };
        };
      };
    };
    /**
     * Create an application's OAuth client, or change it and replace its secret
     * @description Creates the OAuth client of an application. If it has one, all fields are replaced as sent and the client gets a new secret; the previous secret keeps working for 24 hours. `clientSecret` is in this answer only. You can only allow scopes that your credential holds (`SCOPE_NOT_HELD`).
     *
     *     Requires the permission `console.apps.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The slug of the application. */
          slug: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["OAuthClientInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["CreatedOAuthClient"];
          };
        };
      };
    };
    /**
     * Delete an application's OAuth client
     * @description Deletes the OAuth client of an application and revokes everything that users granted to it. Its tokens stop working immediately.
     *
     *     Requires the permission `console.apps.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The slug of the application. */
          slug: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/cdn/{bucket}/{key}": {
    /**
     * Read a public object, or transform a public image
     * @description Returns the bytes of a public object, or an image made from it: `w`, `h`, `fit`, `q`, `f` and `dpr` resize and convert JPEG, PNG, WebP, AVIF and GIF images. A private object is `NOT_FOUND`, like a missing one. Add `v` with the object's version for an answer that can be cached permanently; without it a replaced object is visible after the time in `Cache-Control`, by default one minute.
     *
     *     Takes no credential.
     */
    get: {
      parameters: {
        query?: {
          /** @description The device pixel ratio, which multiplies width and height. */
          dpr?: number;
          /** @description The format; `auto` chooses by the Accept header. By default the format of the object; a GIF becomes WebP. */
          f?: "webp" | "avif" | "jpeg" | "png" | "auto";
          /** @description How the image fills width and height; by default `cover`. */
          fit?: "cover" | "contain" | "fill" | "inside" | "outside";
          /** @description The height in pixels, 1 to 4,096 after multiplication by `dpr`. */
          h?: number;
          /** @description The quality of JPEG, WebP and AVIF. */
          q?: number;
          /** @description The object's `version`: with it the answer can be cached permanently. */
          v?: string;
          /** @description The width in pixels, 1 to 4,096 after multiplication by `dpr`. */
          w?: number;
        };
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
        path: {
          /** @description The name of the bucket. */
          bucket: string;
          /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
          key: string;
        };
      };
      responses: {
        200: {
          content: {
            "*/*": unknown;
          };
        };
      };
    };
  };
  "/events": {
    /**
     * List business events
     * @description Returns the organization's events, the last received first; with `customerId` the events of one story, the latest first. The filters can be combined. A page can have fewer events than `limit`, even none; only `nextCursor` says whether there are more.
     *
     *     Requires the permission `context.story.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only events whose actor has this id. */
          actorId?: string;
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description Only the events of this customer. */
          customerId?: string;
          /** @description Only events of this name. */
          eventName?: string;
          /** @description Only events received at this time or later. */
          from?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description Only events of this `source.system`. */
          source?: string;
          /** @description Only events received before this time. */
          to?: string;
          /** @description Only events whose name stories interpret, or do not. */
          understood?: "true" | "false";
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["EventPage"];
          };
        };
      };
    };
    /**
     * Send a business event
     * @description Accepts one business event; `201` means that it is stored durably. The story of its customer includes it in the next read. `eventId` makes the event unique in the organization: a repetition is refused with `EVENT_ALREADY_SENT`, so a client that got no answer can safely send it again. An event has at most 256 KiB and counts towards the events of the day.
     *
     *     Requires the permission `context.events.write`. The body has at most 256 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["EventInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["AcceptedEvent"];
          };
        };
      };
    };
  };
  "/events/{eventId}": {
    /**
     * Read a business event
     * @description Returns one event as it is stored, and the customer whose story shows it. An event that was erased, or is older than the plan's retention, is `NOT_FOUND`.
     *
     *     Requires the permission `context.story.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The UUID of the event, unique in the organization. */
          eventId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Event"];
          };
        };
      };
    };
  };
  "/events/batch": {
    /**
     * Send up to 500 business events
     * @description Accepts up to 500 events in one request of at most 768 KiB. Each event has its own result, in the order sent: `accepted`, `duplicate` or `rejected`. The status is `200` also when events were rejected, because an invalid event does not affect the others; read `results`.
     *
     *     Requires the permission `context.events.write`. The body has at most 768 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["EventBatchInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["EventBatchResult"];
          };
        };
      };
    };
  };
  "/events/refused": {
    /**
     * List refused events and the reasons
     * @description Returns the events that were refused, the newest first, with the reason of each: the last 1,000 of seven days. In a flood of refusals some are not kept; `omitted` counts them. A repetition of a stored event is not listed, unless its content differs.
     *
     *     Requires the permission `context.story.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["RefusedEventPage"];
          };
        };
      };
    };
  };
  "/health/alive": {
    /**
     * Whether the process runs
     * @description Answers as long as the process runs, also while it cannot serve requests. A supervisor restarts a process that does not answer. Takes no credential, and is not rate limited.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Liveness"];
          };
        };
      };
    };
  };
  "/health/ready": {
    /**
     * Whether the node can serve requests
     * @description Answers `200` while the node can serve requests, and `503` while it starts, stops or lacks the database. A load balancer sends requests only to nodes that are ready. Takes no credential, and is not rate limited.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Readiness"];
          };
        };
      };
    };
  };
  "/identity/me": {
    /**
     * Read the owner of the credential
     * @description Returns the application or the user that the credential belongs to. Call it to confirm that a credential works. An access token that acts for a user shows the name only with the scope `profile` and the email address only with `email`; fields it may not see are null.
     *
     *     Takes any credential.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["CredentialOwner"];
          };
        };
      };
    };
    /**
     * Delete your account
     * @description Deletes the account of the signed-in user with their sessions, memberships and the access they granted to applications. While they are the only owner of an organization, the answer is `LAST_OWNER`. Their actions stay in the audit logs. This cannot be undone.
     *
     *     For a user who is signed in, by the session.
     */
    delete: {
      parameters: {};
      responses: {
        204: {};
      };
    };
    /**
     * Change your profile
     * @description Changes the profile fields that the body names; null clears a field. A body without fields changes nothing.
     *
     *     For a user who is signed in, by the session. The body has at most 100 KiB.
     */
    patch: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["ProfileInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["CurrentUser"];
          };
        };
      };
    };
  };
  "/identity/me/addresses": {
    /**
     * List your addresses
     * @description Returns the addresses of the user, the oldest first.
     *
     *     For a user: a session, or an access token that acts for one.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AddressPage"];
          };
        };
      };
    };
    /**
     * Add an address
     * @description Adds an address to the user's account. `state` and `postalCode` may be omitted for countries without them. A user has at most 50 addresses (`LIMIT_REACHED`).
     *
     *     For a user who is signed in, by the session. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["AddressInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Address"];
          };
        };
      };
    };
  };
  "/identity/me/addresses/{addressId}": {
    /**
     * Remove an address
     * @description Removes an address from the user's account. A removed address is `NOT_FOUND` from then on.
     *
     *     For a user who is signed in, by the session.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the address (`adr_…`). */
          addressId: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change an address
     * @description Changes the fields that the body names; null empties `state` and `postalCode`. A body without fields changes nothing.
     *
     *     For a user who is signed in, by the session. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The id of the address (`adr_…`). */
          addressId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["AddressUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Address"];
          };
        };
      };
    };
  };
  "/identity/me/applications": {
    /**
     * List the applications you have granted access
     * @description Returns the applications that may act for the user, with the scopes they were granted. Applications of the platform itself are marked with `firstParty`.
     *
     *     For a user who is signed in, by the session.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AllowedApplicationPage"];
          };
        };
      };
    };
  };
  "/identity/me/applications/{clientId}": {
    /**
     * Withdraw an application's access
     * @description Withdraws what the user granted to an application. Its refresh and access tokens for this user stop working immediately; the application has to ask again.
     *
     *     For a user who is signed in, by the session.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the OAuth client (`cli_…`). */
          clientId: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/identity/me/contacts": {
    /**
     * List your contacts
     * @description Returns the email addresses, phone numbers and chat accounts of the user, the oldest first. An access token needs the scope `email`, because the login address is among them.
     *
     *     For a user: a session, or an access token that acts for one.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["ContactPage"];
          };
        };
      };
    };
    /**
     * Add a contact
     * @description Adds an email address, phone number or chat account, which is unverified at first. The first contact of a type is primary; a new primary contact demotes the previous one. A user has at most 50 contacts (`LIMIT_REACHED`) and each value once (`CONTACT_EXISTS`).
     *
     *     For a user who is signed in, by the session. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["ContactInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Contact"];
          };
        };
      };
    };
  };
  "/identity/me/contacts/{contactId}": {
    /**
     * Remove a contact
     * @description Removes a contact. If it was primary, the oldest remaining contact of its type becomes primary. The address with which the user signs in cannot be removed (`CONTACT_IS_LOGIN`).
     *
     *     For a user who is signed in, by the session.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the contact (`con_…`). */
          contactId: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change a contact
     * @description Changes the value of a contact, which is then unverified, or makes it primary, which demotes the previous primary contact of its type. The value with which the user signs in cannot be changed here (`CONTACT_IS_LOGIN`). To demote a primary contact, make another one primary.
     *
     *     For a user who is signed in, by the session. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The id of the contact (`con_…`). */
          contactId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ContactUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Contact"];
          };
        };
      };
    };
  };
  "/identity/me/contacts/{contactId}/verification": {
    /**
     * Mail a link that confirms an email contact
     * @description Mails a link to an email contact, by which its owner confirms the address. `202` means that the request was accepted; if many mails went to the address recently, none is sent. Fails with `MAIL_DISABLED` where the platform sends no mail.
     *
     *     For a user who is signed in, by the session.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the contact (`con_…`). */
          contactId: string;
        };
      };
      responses: {
        202: {
          content: {
            "application/json": components["schemas"]["ContactVerification"];
          };
        };
      };
    };
  };
  "/identity/me/export": {
    /**
     * Export everything stored about you
     * @description Returns everything that is stored about the user as a file: profile, contacts, addresses, memberships, sessions, granted applications, and their actions in the audit logs. It contains no password, token or hash. A list that does not fit shows its newest items, and `shortened` names it.
     *
     *     For a user who is signed in, by the session.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["UserExport"];
          };
        };
      };
    };
  };
  "/identity/me/login-email": {
    /**
     * Choose the email address you log in with
     * @description Makes one of the user's confirmed email contacts the address they sign in with. Needs the current password; wrong passwords count as failed logins. All other sessions of the user end, and the previous address gets a notice by mail. `EMAIL_TAKEN` means that another account signs in with the address.
     *
     *     For a user who is signed in, by the session. The body has at most 100 KiB.
     */
    put: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["LoginEmailInput"];
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/identity/me/password": {
    /**
     * Change your password
     * @description Replaces the user's password after checking the current one; wrong passwords count as failed logins and are limited. This session stays, all others end, and applications with offline access have to ask again. The login address gets a notice by mail.
     *
     *     For a user who is signed in, by the session. The body has at most 100 KiB.
     */
    put: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["PasswordInput"];
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/identity/me/sessions": {
    /**
     * List your sessions
     * @description Returns the browsers in which the user is signed in, the newest login first.
     *
     *     For a user who is signed in, by the session.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SessionPage"];
          };
        };
      };
    };
    /**
     * End all your other sessions
     * @description Ends all sessions of the user except the one of this request, together with the access that applications got through them. Without other sessions it changes nothing.
     *
     *     For a user who is signed in, by the session.
     */
    delete: {
      parameters: {};
      responses: {
        204: {};
      };
    };
  };
  "/identity/me/sessions/{id}": {
    /**
     * End one of your sessions
     * @description Ends one session of the user, possibly the one of this request, together with the access that applications got through it.
     *
     *     For a user who is signed in, by the session.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the session (`ses_…`). */
          id: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/identity/users": {
    /**
     * List an organization's users, or search them
     * @description Returns the profiles of an organization's members, the newest member first. Without `orgId` it is the organization of the credential. A user who is being deleted is omitted, so a page can be shorter than `limit`.
     *
     *     Requires the permission `console.users.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The direction; by default `desc`, the latest first. */
          order?: "asc" | "desc";
          /** @description The id of the organization; by default the one of the credential. */
          orgId?: string;
          /** @description An id, an email address, a phone number, or the beginning of a name. Not with `sort` and `order`. */
          search?: string & (string);
          /** @description The time by which the list is sorted; by default `createdAt`, when the member joined. */
          sort?: "createdAt" | "lastLoginAt";
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["UserPage"];
          };
        };
      };
    };
  };
  "/identity/users/{userId}": {
    /**
     * Read a user of your organization
     * @description Returns the profile of a member of your organization. Every other user is `NOT_FOUND`, whether or not they exist.
     *
     *     Requires the permission `console.users.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The id of the organization (`org_…`). */
          orgId?: string;
        };
        path: {
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["User"];
          };
        };
      };
    };
  };
  "/identity/users/{userId}/assignments": {
    /**
     * List a member's assignments
     * @description Returns the roles of a member in the order in which they were assigned: the built-in role that is their membership, and all others, including expired ones, which are kept for a day. A user who is not a member is `NOT_FOUND`.
     *
     *     Requires the permission `console.access.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The id of the organization; by default the one of the credential. */
          orgId?: string;
        };
        path: {
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AssignmentPage"];
          };
        };
      };
    };
  };
  "/identity/users/{userId}/contacts": {
    /**
     * List a user's contacts, shortened
     * @description Returns the contacts of a member, the oldest first, so that you can ask whether one is still theirs. Contacts belong to the person: only the login address is shown whole, the others are shortened, such as `a…@example.org`.
     *
     *     Requires the permission `console.users.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The id of the organization (`org_…`). */
          orgId?: string;
        };
        path: {
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["UserContactPage"];
          };
        };
      };
    };
  };
  "/identity/users/{userId}/recovery": {
    /**
     * Mail a user a link to choose a new password
     * @description Mails a member, at the address they sign in with, a link by which they choose a new password. Nothing changes until they use it. A user who was mailed several times within an hour is `RATE_LIMITED`.
     *
     *     Requires the permission `console.users.write`.
     */
    post: {
      parameters: {
        query?: {
          /** @description The id of the organization (`org_…`). */
          orgId?: string;
        };
        path: {
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        202: {
          content: {
            "application/json": components["schemas"]["RecoveryMail"];
          };
        };
      };
    };
  };
  "/identity/users/{userId}/sessions": {
    /**
     * List a user's sessions
     * @description Returns the browsers in which a member is signed in, the newest login first.
     *
     *     Requires the permission `console.users.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The id of the organization (`org_…`). */
          orgId?: string;
        };
        path: {
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SessionPage"];
          };
        };
      };
    };
    /**
     * End all sessions of a user
     * @description Signs a member out of all browsers; they can sign in again. Your credential must hold all permissions of the member. Without sessions it changes nothing.
     *
     *     Requires the permission `console.users.write`.
     */
    delete: {
      parameters: {
        query?: {
          /** @description The id of the organization (`org_…`). */
          orgId?: string;
        };
        path: {
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/identity/users/{userId}/sessions/{sessionId}": {
    /**
     * End a session of a user
     * @description Ends one session of a member; they can sign in again. Your credential must hold all permissions of the member. A session that has ended is `NOT_FOUND`.
     *
     *     Requires the permission `console.users.write`.
     */
    delete: {
      parameters: {
        query?: {
          /** @description The id of the organization (`org_…`). */
          orgId?: string;
        };
        path: {
          /** @description The id of the session (`ses_…`). */
          sessionId: string;
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/operator/backups": {
    /**
     * List the backups of the platform
     * @description Returns the last 50 backups that `npm run backup` has saved of the embedded database, the newest first. A platform with `MONGO_URL` has none: the data is on that server, whose tools back it up.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["PlatformBackups"];
          };
        };
      };
    };
  };
  "/operator/jobs": {
    /**
     * List the scheduled jobs of the platform
     * @description Returns the scheduled work of all services, sorted by name, with the last and the next run and the last failure. `silent` are nodes that did not answer within five seconds, whose services may have further jobs.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["PlatformJobs"];
          };
        };
      };
    };
  };
  "/operator/jobs/{name}/run": {
    /**
     * Run a scheduled job now
     * @description Runs a job out of turn, on one node, and does not wait for its end. While the job is running, it is refused: a job never runs twice at the same time. The next regular run stays. It is recorded in the audit log of the platform.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    post: {
      parameters: {
        path: {
          /** @description The name of the job. */
          name: string;
        };
      };
      responses: {
        202: {
          content: {
            "application/json": components["schemas"]["PlatformJobRun"];
          };
        };
      };
    };
  };
  "/operator/mail/dead-letters": {
    /**
     * List the dead letters of mail
     * @description Returns the mail whose delivery was given up, of all organizations, the newest first.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["DeadLetterPage"];
          };
        };
      };
    };
  };
  "/operator/mail/dead-letters/redrive": {
    /**
     * Queue dead letters of mail again
     * @description Queues mail whose delivery was given up again, with the full number of attempts: one, all of an organization, or all. It is recorded in the audit log of each organization. A repeated call finds none.
     *
     *     For an operator of the platform who is signed in, by the session. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["RedriveInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["RequeuedDeadLetters"];
          };
        };
      };
    };
  };
  "/operator/nodes": {
    /**
     * List the nodes of the platform
     * @description Returns the nodes that this node knows, sorted by name: whether each is ready, and the services that it runs with the version of their code. A node that does not answer within five seconds is listed with its services.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["PlatformNodes"];
          };
        };
      };
    };
  };
  "/operator/notifications/dead-letters": {
    /**
     * List the dead letters of notifications
     * @description Returns the notifications whose delivery was given up, of all organizations, the newest first.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["DeadLetterPage"];
          };
        };
      };
    };
  };
  "/operator/notifications/dead-letters/redrive": {
    /**
     * Queue dead letters of notifications again
     * @description Queues notifications whose delivery was given up again, with the full number of attempts: one, all of an organization, or all. It is recorded in the audit log of each organization. A repeated call finds none.
     *
     *     For an operator of the platform who is signed in, by the session. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["RedriveInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["RequeuedDeadLetters"];
          };
        };
      };
    };
  };
  "/operator/organizations": {
    /**
     * List the organizations of the platform
     * @description Returns all organizations, the newest first. `search` is an id (`org_…`), the beginning of a slug, whose matches are sorted by slug, or the address with which a member logs in. With `state` only suspended organizations, or only others. Organizations that are being deleted are not listed.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description An id, the beginning of a slug, or the login email of a member. */
          search?: string;
          /** @description Whether the operator has suspended it. */
          state?: "active" | "suspended";
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OperatedOrganizationPage"];
          };
        };
      };
    };
  };
  "/operator/organizations/{orgId}": {
    /**
     * Read an organization of the platform
     * @description Returns an organization with its owners, its plan and the use of the limits of the plan.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OperatedOrganizationDetails"];
          };
        };
      };
    };
    /**
     * Trust an organization, or end that
     * @description With `isTrusted`, browsers return to the origins of the OAuth clients of the organization without a confirmation. It takes effect immediately, and is recorded in the audit log of the organization.
     *
     *     For an operator of the platform who is signed in, by the session. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["OperatedOrganizationInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OperatedOrganizationDetails"];
          };
        };
      };
    };
  };
  "/operator/organizations/{orgId}/audit-log": {
    /**
     * Read the audit log of an organization as an operator
     * @description Returns the security-relevant actions in an organization, the newest first.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AuditRecordPage"];
          };
        };
      };
    };
  };
  "/operator/organizations/{orgId}/invoices": {
    /**
     * List the invoices of an organization as an operator
     * @description Returns the invoices of an organization, the newest first.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["InvoicePage"];
          };
        };
      };
    };
  };
  "/operator/organizations/{orgId}/invoices/{invoiceId}/pay": {
    /**
     * Mark an invoice as paid
     * @description Records that the payment of an open or uncollectible invoice was received outside of the payment provider; the subscription renews. An invoice that is paid already stays as it is; one that is void or a draft is `CONFLICT`. It is recorded in the audit log of the organization.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the invoice (`ivc_…`). */
          invoiceId: string;
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Invoice"];
          };
        };
      };
    };
  };
  "/operator/organizations/{orgId}/oauth-clients": {
    /**
     * List the OAuth clients of an organization
     * @description Returns the OAuth clients of an organization with the origins to which they return, the oldest first.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OperatedClientPage"];
          };
        };
      };
    };
  };
  "/operator/organizations/{orgId}/oauth-clients/{clientId}": {
    /**
     * Mark an OAuth client as first-party, or end that
     * @description The users of a first-party client need not give consent. Without the mark they must give it, and the grants of the client are revoked. It is recorded in the audit log of the organization.
     *
     *     For an operator of the platform who is signed in, by the session. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The id of the OAuth client (`cli_…`). */
          clientId: string;
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["OperatedClientInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OperatedClient"];
          };
        };
      };
    };
  };
  "/operator/organizations/{orgId}/plan": {
    /**
     * Give an organization a plan without payment
     * @description Gives an organization a plan immediately and free of charge; `free` takes a given plan away. A paid subscription ends. It is recorded in the audit log of the organization.
     *
     *     For an operator of the platform who is signed in, by the session. The body has at most 100 KiB.
     */
    put: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["GivenPlanInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Subscription"];
          };
        };
      };
    };
  };
  "/operator/organizations/{orgId}/restore": {
    /**
     * End the suspension of an organization
     * @description Ends the suspension of an organization: its credentials work again within a second, and none has to be created again. It is recorded in the audit log of the organization. A repeated call changes nothing.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OperatedOrganizationDetails"];
          };
        };
      };
    };
  };
  "/operator/organizations/{orgId}/suspend": {
    /**
     * Suspend an organization
     * @description Refuses everything that acts for the organization with `ORGANIZATION_SUSPENDED`: API keys, access tokens, sessions of its members where they act in it, visitors of its websites, public files and signed addresses. No tokens are issued for it. When the answer arrives, this is so on every node, which takes a second. Its data stays, and so do jobs on it. Members log in as before, and read the reason. It is recorded in the audit log of the organization. An organization that is suspended keeps its first reason.
     *
     *     For an operator of the platform who is signed in, by the session. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["SuspensionInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OperatedOrganizationDetails"];
          };
        };
      };
    };
  };
  "/operator/registration": {
    /**
     * Read who may create an account
     * @description Returns who may create an account on the platform. Invited people always may, by their invitation.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["RegistrationPolicy"];
          };
        };
      };
    };
    /**
     * Open or limit registration
     * @description Replaces who may create an account. It takes effect on all nodes with this answer, also for people who have not yet confirmed their address, and is recorded in the audit log of the platform. Accounts that exist stay. With `domains`, at least one domain is needed.
     *
     *     For an operator of the platform who is signed in, by the session. The body has at most 100 KiB.
     */
    put: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["RegistrationPolicyInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["RegistrationPolicy"];
          };
        };
      };
    };
  };
  "/operator/users": {
    /**
     * List the users of the platform
     * @description Returns all users with their organizations, the newest first. `search` is an id (`usr_…`) or the beginning of the address with which users log in, whose matches are sorted by address.
     *
     *     For an operator of the platform who is signed in, by the session.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description An id, or the beginning of a login email. */
          search?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OperatedUserPage"];
          };
        };
      };
    };
  };
  "/organizations": {
    /**
     * List the organizations of the caller
     * @description Returns the organizations of the user with their role in each, the oldest first. An application sees its own organization.
     *
     *     Takes any credential.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OrganizationPage"];
          };
        };
      };
    };
    /**
     * Create an organization and become its owner
     * @description Creates an organization, whose owner is the user of the credential. The slug is unique on the whole platform and never changes (`SLUG_TAKEN`). A user can create and join a limited number of organizations (`LIMIT_REACHED`). An access token also needs `console.orgs.write`.
     *
     *     For a user: a session, or an access token that acts for one. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["OrganizationInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Organization"];
          };
        };
      };
    };
  };
  "/organizations/{slug}": {
    /**
     * Read an organization
     * @description Returns one organization, with the role of the user in it. An organization that you do not belong to is `NOT_FOUND`.
     *
     *     Requires the permission `console.orgs.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Organization"];
          };
        };
      };
    };
    /**
     * Delete an organization with everything in it
     * @description Deletes an organization with all its data: applications, credentials, events, stories, files, mail and conversations. Only an owner can, and `confirm` must repeat the slug. After the answer no credential works in it; the rest is removed in the background. The slug stays taken and the audit log is kept. This cannot be undone.
     *
     *     For a user who is signed in, by the session.
     */
    delete: {
      parameters: {
        query?: {
          /** @description The slug of the organization again. Required. */
          confirm?: string;
        };
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        202: {
          content: {
            "application/json": components["schemas"]["OrganizationDeletion"];
          };
        };
      };
    };
    /**
     * Change an organization
     * @description Changes the name of an organization, or the colour of its brand; a colour of null removes it. The slug never changes. A body without fields changes nothing. `PUT /organizations/:slug/logo` sets the logo.
     *
     *     Requires the permission `console.orgs.write`. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["OrganizationUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Organization"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/audit-log": {
    /**
     * Read an organization's audit log
     * @description Returns the security-relevant actions in the organization, the newest first: who did what to which resource, from where, and the values before and after. The filters can be combined; `from` is inclusive, `to` is exclusive. Records are kept for the days that the plan includes.
     *
     *     Requires the permission `console.audit.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only this action, such as `api-key.created`. */
          action?: string;
          /** @description Only what this user or application did. */
          actorId?: string;
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description Only from this time on. */
          from?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description Only what was done to the resource with this id. */
          targetId?: string;
          /** @description Only before this time. */
          to?: string;
        };
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AuditRecordPage"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/audit-log/{recordId}": {
    /**
     * Read a record of the audit log
     * @description Returns one record of the audit log. A record of another organization, or one that is older than the days that the plan includes, is `NOT_FOUND`.
     *
     *     Requires the permission `console.audit.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the record (`aud_…`). */
          recordId: string;
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AuditRecord"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/invitations": {
    /**
     * List an organization's invitations
     * @description Returns the invitations of the organization in every state, the newest first. An invitation is listed until 90 days after it expired.
     *
     *     Requires the permission `console.orgs.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["InvitationPage"];
          };
        };
      };
    };
    /**
     * Invite a person to an organization
     * @description Mails an invitation to a person; its link works once, for seven days, and only for the owner of that address. You cannot invite to a role above your own. `ALREADY_MEMBER` and `INVITATION_PENDING` mean that there is nothing to invite to; at most 100 invitations are open at a time (`LIMIT_REACHED`).
     *
     *     Requires the permission `console.orgs.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["InvitationInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Invitation"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/invitations/{invitationId}": {
    /**
     * Revoke an invitation
     * @description Revokes an open invitation, whose link then stops working. You need the right to give its role. An invitation that was accepted or revoked before is `INVITATION_NOT_OPEN`.
     *
     *     Requires the permission `console.orgs.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the invitation (`inv_…`). */
          invitationId: string;
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/organizations/{slug}/invitations/{invitationId}/resend": {
    /**
     * Mail an invitation again, with a new link
     * @description Mails a new link that works for seven days, and invalidates the previous link. An expired invitation is open again. An invitation that was accepted or revoked is `INVITATION_NOT_OPEN`.
     *
     *     Requires the permission `console.orgs.write`.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the invitation (`inv_…`). */
          invitationId: string;
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Invitation"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/logo": {
    /**
     * Set the logo of an organization
     * @description Sets the logo that members and invited people see, and people who log in to its applications. Send the bytes of a PNG, JPEG, WebP, AVIF or GIF of at most 512 KiB. It is stored as a PNG without metadata, reduced to at most 480 × 240 pixels; of an animation the first frame. SVG is refused. The address of the logo changes with it.
     *
     *     Requires the permission `console.orgs.write`. The body has at most 512 KiB.
     */
    put: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      requestBody: {
        content: {
          "*/*": unknown;
          "application/octet-stream": unknown;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Organization"];
          };
        };
      };
    };
    /**
     * Remove the logo of an organization
     * @description Removes the logo; its address is `NOT_FOUND` from now on. Without a logo the answer is `NOT_FOUND` too.
     *
     *     Requires the permission `console.orgs.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/organizations/{slug}/logo/{logoId}": {
    /**
     * Read the logo of an organization
     * @description Returns the PNG at the address in `brand.logoUrl`, without a credential. It never changes, so it may be cached for a year. The address of an earlier logo is `NOT_FOUND`.
     *
     *     Takes no credential.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the logo (`logo_…`). */
          logoId: string;
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "image/png": unknown;
          };
        };
      };
    };
  };
  "/organizations/{slug}/members": {
    /**
     * List an organization's members
     * @description Returns the members of an organization with their built-in role, sorted by user id.
     *
     *     Requires the permission `console.orgs.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MemberPage"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/members/{userId}": {
    /**
     * Remove a member, or leave
     * @description Removes a member from the organization with all their roles. It needs `console.orgs.write` and every permission of the member; a signed-in user can always remove themselves, which is how they leave. The last owner cannot be removed (`LAST_OWNER`).
     *
     *     Takes any credential.
     */
    delete: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change a member's role
     * @description Gives a member another built-in role. Your credential must hold all permissions of both roles; owners are made and changed by owners only (`OWNER_REQUIRED`). The last owner keeps the role (`LAST_OWNER`).
     *
     *     Requires the permission `console.orgs.write`. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["MemberUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Member"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/members/{userId}/restore": {
    /**
     * End the suspension of a member
     * @description Ends the suspension of a member, who then has the same roles as before. Your credential must hold all permissions of the member. A repeated call changes nothing.
     *
     *     Requires the permission `console.orgs.write`.
     */
    post: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Member"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/members/{userId}/suspend": {
    /**
     * Suspend a member
     * @description Puts a membership out of force with all its roles: from now on the user has no access to the organization. Their sessions and their other organizations are not affected. Your credential must hold all permissions of the member; you cannot suspend yourself (`OWN_MEMBERSHIP`) or the last owner (`LAST_OWNER`). A repeated call changes nothing.
     *
     *     Requires the permission `console.orgs.write`.
     */
    post: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Member"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/requests": {
    /**
     * List an organization's failed requests
     * @description Returns the requests of the organization that were answered with an error (4xx or 5xx), the newest first, with the reason of each: requests by its API keys, access tokens, sessions and widgets. Requests without a valid credential belong to no organization. A record appears within some seconds, and is kept for seven days: the last 10,000 of an organization. Each listener keeps 60 a minute; `omitted` counts the others. Queries, bodies and credentials are never stored. The filters can be combined; `from` is inclusive, `to` is exclusive.
     *
     *     Requires the permission `console.audit.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only what this application, user, website, API key or OAuth client sent. */
          callerId?: string;
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description Only this error code, such as `PERMISSION_DENIED`. */
          error?: string;
          /** @description Only from this time on. */
          from?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description Only this HTTP method. */
          method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
          /** @description Only requests with this id. */
          requestId?: string;
          /** @description Only this status, such as `404`, or this class: `4xx` or `5xx`. */
          status?: string;
          /** @description Only before this time. */
          to?: string;
        };
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["FailedRequestPage"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/requests/{requestId}": {
    /**
     * Read a failed request
     * @description Returns the request that was answered with an error, by the request id of the answer or by the id of the record (`frq_…`). If several requests have the request id, it is the newest; the list has all of them. A request that succeeded, one of another organization, and one that is older than seven days is `NOT_FOUND`.
     *
     *     Requires the permission `console.audit.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The request id (`req_…`, or as the client chose it), or `frq_…`. */
          requestId: string;
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["FailedRequest"];
          };
        };
      };
    };
  };
  "/organizations/{slug}/security": {
    /**
     * Read the rules for members
     * @description Returns which email addresses can join the organization, and how long after a login members act in it.
     *
     *     Requires the permission `console.orgs.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OrganizationSecurity"];
          };
        };
      };
    };
    /**
     * Change the rules for members
     * @description Changes which email addresses can join the organization, and how long after a login members act in it. Invitations to other addresses are refused with `EMAIL_DOMAIN_NOT_ALLOWED`, also those that are open; present members stay. A member whose login is older gets `SESSION_TOO_OLD` and logs in again. API keys and access tokens keep their own lifetimes. A body without fields changes nothing.
     *
     *     Requires the permission `console.orgs.write`. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The slug of the organization. */
          slug: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["OrganizationSecurityInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OrganizationSecurity"];
          };
        };
      };
    };
  };
  "/organizations/invitations/{token}/accept": {
    /**
     * Accept an invitation into an organization
     * @description Makes the signed-in user a member of the organization that invited them. The invited address must be one of their verified email contacts; otherwise the answer is `PERMISSION_DENIED`. A repetition gets the same answer as long as the user is a member. If the plan has no room (`PLAN_LIMIT_EXCEEDED`), or the organization no longer admits the domain of the address (`EMAIL_DOMAIN_NOT_ALLOWED`), the invitation stays open.
     *
     *     For a user who is signed in, by the session.
     */
    post: {
      parameters: {
        path: {
          /** @description The token of the mailed link. */
          token: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AcceptedMembership"];
          };
        };
      };
    };
  };
  "/v1/billing/webhooks/{provider}": {
    /**
     * Receive a webhook of a payment provider
     * @description Receives the signed webhooks of a payment provider; only the provider calls it. A webhook is stored before the answer and counts once, however often it is delivered; one that cannot be processed yet is retried here for 30 days. A webhook without a valid signature is refused with `WEBHOOK_INVALID`.
     *
     *     Takes no credential. The body has at most 256 KiB.
     */
    post: {
      parameters: {
        header?: {
          /** @description The signature of the simulated provider. */
          "platform-signature"?: string;
          /** @description The signature of Stripe. */
          "stripe-signature"?: string;
        };
        path: {
          /** @description The payment provider: `stripe`, or `test` for the simulated one. */
          provider: string;
        };
      };
      requestBody: {
        content: {
          "*/*": unknown;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["WebhookReceipt"];
          };
        };
      };
    };
  };
  "/v1/buckets": {
    /**
     * List the organization's buckets
     * @description Returns the organization's buckets in the order of their creation, with the number and the bytes of their objects.
     *
     *     Requires the permission `storage.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["BucketPage"];
          };
        };
      };
    };
    /**
     * Create a bucket
     * @description Creates a bucket. Its name is unique on the whole platform, and stays reserved for the organization after the bucket is deleted. A name that another organization has is refused with `BUCKET_NAME_TAKEN`, a bucket beyond the plan with `PLAN_LIMIT_EXCEEDED`.
     *
     *     Requires the permission `storage.buckets.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["BucketInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Bucket"];
          };
        };
      };
    };
  };
  "/v1/buckets/{bucketName}": {
    /**
     * Read a bucket
     * @description Returns the settings of a bucket, and the number and the bytes of its objects.
     *
     *     Requires the permission `storage.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The name of the bucket: 3 to 63 lower-case letters, digits and dashes. */
          bucketName: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Bucket"];
          };
        };
      };
    };
    /**
     * Delete a bucket with its objects
     * @description Deletes a bucket with everything in it. Its objects cannot be read once this is answered; the bytes of a large bucket are removed afterwards. The name stays reserved for the organization. This cannot be undone.
     *
     *     Requires the permission `storage.buckets.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The name of the bucket: 3 to 63 lower-case letters, digits and dashes. */
          bucketName: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change a bucket
     * @description Changes the settings that the body names. New rules for types and sizes apply to later uploads; existing objects stay. A body without fields changes nothing.
     *
     *     Requires the permission `storage.buckets.write`. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The name of the bucket: 3 to 63 lower-case letters, digits and dashes. */
          bucketName: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["BucketUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Bucket"];
          };
        };
      };
    };
  };
  "/v1/buckets/{bucketName}/objects": {
    /**
     * List the objects of a bucket
     * @description Returns the objects of a bucket in the order of their keys. With `delimiter`, the keys that have it after `prefix` are grouped into one entry of `prefixes`, like the files of a folder. A page can have fewer entries than `limit`, even none; the list ends when `nextCursor` is null.
     *
     *     Requires the permission `storage.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description Group the keys that have it after the prefix, as `/` does for folders. */
          delimiter?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description Only keys that begin with it. */
          prefix?: string;
        };
        path: {
          /** @description The name of the bucket: 3 to 63 lower-case letters, digits and dashes. */
          bucketName: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["StoredObjectPage"];
          };
        };
      };
    };
  };
  "/v1/connect/agents": {
    /**
     * List the agents
     * @description Returns the members who answer visitors, sorted by user id, and whether they have the inbox open.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AgentPage"];
          };
        };
      };
    };
    /**
     * Make a member an agent
     * @description Makes a member an agent, who takes a seat of the plan (`PLAN_LIMIT_EXCEEDED` without a free one). For an existing agent it changes the name that visitors see, and takes no other seat.
     *
     *     Requires the permission `connect.settings.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["AgentInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Agent"];
          };
        };
      };
    };
  };
  "/v1/connect/agents/{userId}": {
    /**
     * Remove an agent
     * @description Ends an agent's access to the inbox and frees the seat. Their conversations become unassigned; their membership stays.
     *
     *     Requires the permission `connect.settings.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the user (`usr_…`). */
          userId: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/v1/connect/blocks": {
    /**
     * List the blocked visitors, customers and addresses
     * @description Returns the blocks of the organization, the newest first.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["BlockPage"];
          };
        };
      };
    };
    /**
     * Block a visitor, a customer or an address
     * @description Blocks a visitor, a customer or an IP address; exactly one of the three is sent. `withAddress` also blocks the network of the visitor's last session. It takes effect immediately, also for open streams. A repeated call changes nothing.
     *
     *     Requires the permission `connect.settings.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["BlockInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["BlockList"];
          };
        };
      };
    };
    /**
     * Unblock a visitor, a customer or an address
     * @description Removes the block of a visitor with the block of their network, of a customer, or of an IP address. Exactly one of the three is named; without a block the answer is `NOT_FOUND`.
     *
     *     Requires the permission `connect.settings.write`.
     */
    delete: {
      parameters: {
        query?: {
          /** @description Exactly one of visitorId, customerId and address is required. */
          address?: string;
          /** @description Exactly one of visitorId, customerId and address is required. */
          customerId?: string;
          /** @description Exactly one of visitorId, customerId and address is required. */
          visitorId?: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/v1/connect/replies": {
    /**
     * List the saved replies
     * @description Returns the texts that agents insert into their answers, in the order of their names.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SavedReplyPage"];
          };
        };
      };
    };
    /**
     * Add a saved reply
     * @description Adds a text that agents insert into their answers. A name that another saved reply has, in upper or lower case, is `CONFLICT`. An organization has at most 200; a further one is refused with `LIMIT_REACHED`.
     *
     *     Requires the permission `connect.settings.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["SavedReplyInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["SavedReply"];
          };
        };
      };
    };
  };
  "/v1/connect/replies/{replyId}": {
    /**
     * Remove a saved reply
     * @description Removes a saved reply. Messages that contain the text stay as they are.
     *
     *     Requires the permission `connect.settings.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the saved reply (`rpl_…`). */
          replyId: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change a saved reply
     * @description Changes the name or the text of a saved reply. Messages that contain the text stay as they are.
     *
     *     Requires the permission `connect.settings.write`. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The id of the saved reply (`rpl_…`). */
          replyId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["SavedReplyUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SavedReply"];
          };
        };
      };
    };
  };
  "/v1/connect/settings": {
    /**
     * Read the settings of the first website
     * @description Returns the settings of the organization's first website, which is created on first use.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Site"];
          };
        };
      };
    };
    /**
     * Change the settings of the first website
     * @description Changes the settings of the organization's first website that the body names; the website is created on first use. Widgets show the change within a second.
     *
     *     Requires the permission `connect.settings.write`. The body has at most 100 KiB.
     */
    put: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["SiteUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Site"];
          };
        };
      };
    };
  };
  "/v1/connect/sites": {
    /**
     * List the websites
     * @description Returns the organization's websites in the order of their creation.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SitePage"];
          };
        };
      };
    };
    /**
     * Add a website
     * @description Adds a website with its own chat widget. The widget can be embedded only by pages of `allowedOrigins`, which is empty unless you send it. A website beyond the plan is refused with `PLAN_LIMIT_EXCEEDED`.
     *
     *     Requires the permission `connect.settings.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["SiteInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Site"];
          };
        };
      };
    };
  };
  "/v1/connect/sites/{siteId}": {
    /**
     * Read a website
     * @description Returns the settings of one website. The secret is never shown; `hasSecret` says whether there is one.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the website (`site_…`). */
          siteId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Site"];
          };
        };
      };
    };
    /**
     * Remove a website
     * @description Removes a website. Its conversations stay in the inbox, but its visitors can no longer write. This cannot be undone.
     *
     *     Requires the permission `connect.settings.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the website (`site_…`). */
          siteId: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change a website
     * @description Changes the settings that the body names. Widgets show the change within a second; `enabled: false` turns the widget off everywhere.
     *
     *     Requires the permission `connect.settings.write`. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The id of the website (`site_…`). */
          siteId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["SiteUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Site"];
          };
        };
      };
    };
  };
  "/v1/connect/sites/{siteId}/secret": {
    /**
     * Make the secret that signs the identities of visitors
     * @description Creates the secret with which your server signs the identities of its users for the widget. It is in this answer only. The previous secret, and every identity signed with it, stop working immediately.
     *
     *     Requires the permission `connect.settings.write`.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the website (`site_…`). */
          siteId: string;
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["SiteSecret"];
          };
        };
      };
    };
  };
  "/v1/connect/stream": {
    /**
     * Listen to what changes in the inbox
     * @description Opens a stream of server-sent events about the inbox: `message`, `conversation`, `read`, `typing`, `looking`, `presence` and `site`. An event only says that something has changed; read it with the other operations. Events can be lost or repeated, so read again after a reconnection.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "text/event-stream": unknown;
          };
        };
      };
    };
  };
  "/v1/conversations": {
    /**
     * List conversations
     * @description Returns the conversations of the organization, the latest message first, by status, agent, customer, website or unread messages if you filter, and those that `q` finds. A user has to be an agent (`AGENT_REQUIRED`); an application needs no seat.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only of this agent; `none`: only without an assignee. */
          assigneeId?: string;
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description Only of this customer. */
          customerId?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description Only those that it finds: a conversation’s id, a customer’s id, a visitor’s email address, or the beginning of a name. */
          q?: string & (string);
          /** @description Only of this website. */
          siteId?: string;
          /** @description Only in this status. */
          status?: "open" | "pending" | "closed";
          /** @description `true`: only with messages of the visitor that no agent has read; `false`: only without. */
          unread?: "true" | "false";
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["ConversationPage"];
          };
        };
      };
    };
  };
  "/v1/conversations/{id}": {
    /**
     * Read a conversation
     * @description Returns one conversation with what is known of its visitor. Name and email are what the visitor typed, unless `isIdentified` is true.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the conversation (`conv_…`). */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["ConversationDetails"];
          };
        };
      };
    };
    /**
     * Change the status or the assignee of a conversation
     * @description Changes the status of a conversation, or the agent it is assigned to; null removes the assignee. The assignee must be an agent of the organization.
     *
     *     Requires the permission `connect.write`. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The id of the conversation (`conv_…`). */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ConversationUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Conversation"];
          };
        };
      };
    };
  };
  "/v1/conversations/{id}/attachments": {
    /**
     * Sign an address for a file of an answer
     * @description Signs an address to which you PUT a file of at most 10 MiB within 15 minutes. Then name the `attachmentId` in a message. A file that no message names is deleted after a day.
     *
     *     Requires the permission `connect.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the conversation (`conv_…`). */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["AttachmentInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AttachmentUpload"];
          };
        };
      };
    };
  };
  "/v1/conversations/{id}/attachments/{attachmentId}": {
    /**
     * Sign an address to read a file of a conversation
     * @description Signs an address that reads a file of a message for five minutes. Browsers save the file under its name and never show it.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the attachment (`obj_…`). */
          attachmentId: string;
          /** @description The id of the conversation (`conv_…`). */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SignedUrl"];
          };
        };
      };
    };
  };
  "/v1/conversations/{id}/looking": {
    /**
     * Show that an agent has a conversation open
     * @description Shows the other agents that an agent has opened a conversation, or has left it. Repeat it every few seconds while the conversation is open: a reader of the event `looking` forgets an agent after 12 seconds. Nothing is stored.
     *
     *     Requires the permission `connect.read`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the conversation (`conv_…`). */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["LookingInput"];
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/v1/conversations/{id}/messages": {
    /**
     * List the messages of a conversation
     * @description Returns messages and internal notes in ascending order: those after the number `after`, those before `before`, or the latest. Numbers have no gaps, so a reader who has seen number 7 continues with `after=7` and misses nothing.
     *
     *     Requires the permission `connect.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only messages after this number. */
          after?: number;
          /** @description Only messages before this number. Ignored with `after`. */
          before?: number;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The id of the conversation (`conv_…`). */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MessageList"];
          };
        };
      };
    };
    /**
     * Answer in a conversation
     * @description Sends a message to the visitor, with text, files or both. It reopens a closed conversation and assigns an unassigned one to the agent who writes. A repetition with the same `echoId` adds nothing and gets the first answer; another message with it is `IDEMPOTENCY_MISMATCH`.
     *
     *     Requires the permission `connect.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the conversation (`conv_…`). */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["MessageInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Message"];
          };
        };
      };
    };
  };
  "/v1/conversations/{id}/notes": {
    /**
     * Add an internal note to a conversation
     * @description Adds a note for the other agents, which the visitor never sees. A repetition with the same `echoId` adds nothing and gets the first answer.
     *
     *     Requires the permission `connect.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the conversation (`conv_…`). */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NoteInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Message"];
          };
        };
      };
    };
  };
  "/v1/conversations/{id}/read": {
    /**
     * Mark a conversation as read up to a message
     * @description Records that the agents have read up to a message; the visitor sees it. A number below the present one changes nothing.
     *
     *     Requires the permission `connect.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the conversation (`conv_…`). */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ReadPositionInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Conversation"];
          };
        };
      };
    };
  };
  "/v1/conversations/{id}/typing": {
    /**
     * Show that an agent is typing
     * @description Shows the visitor for a moment that an agent is typing. Nothing is stored.
     *
     *     Requires the permission `connect.write`.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the conversation (`conv_…`). */
          id: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/v1/invoices/{invoiceId}/pdf": {
    /**
     * Read an invoice as PDF, by a link to it or a credential
     * @description Returns an invoice as PDF. The links in `pdfUrl` carry `expires` and `signature` and need no credential; without them the credential must be allowed to read the organization's billing. A link that is wrong or older than an hour is refused with `PERMISSION_DENIED`.
     *
     *     Requires the permission `billing.read`. Links that the platform has signed, and what is public, need no credential.
     */
    get: {
      parameters: {
        query?: {
          /** @description When the link expires, in seconds since 1970. Part of the link. */
          expires?: string;
          /** @description The signature of a signed address. It replaces a credential. */
          signature?: string;
        };
        path: {
          /** @description The id of the invoice (`ivc_…`). */
          invoiceId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/pdf": unknown;
          };
        };
      };
    };
  };
  "/v1/mail/feedback": {
    /**
     * Receive bounces and complaints of a mail server
     * @description Receives bounces and complaints from any mail server; only the server calls it. `x-signature` is `t=<seconds>,v1=<hex>`: the HMAC-SHA256 of `<seconds>.<body>` under the setting `MAIL_FEEDBACK_SECRET`, at most five minutes old. A permanent bounce or a complaint suppresses the address. Without the setting the path is `NOT_FOUND`.
     *
     *     Takes no credential. The body has at most 16 KiB.
     */
    post: {
      parameters: {
        header?: {
          /** @description `t=<seconds>,v1=<hex>`: the time and the HMAC-SHA256 of `<seconds>.<body>`. */
          "x-signature"?: string;
        };
      };
      requestBody: {
        content: {
          "*/*": unknown;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["WebhookReceipt"];
          };
        };
      };
    };
  };
  "/v1/mail/feedback/postmark": {
    /**
     * Receive bounces and complaints of Postmark
     * @description Receives bounces and spam complaints of Postmark, which authenticates with the setting `MAIL_POSTMARK_CREDENTIALS`. A permanent bounce or a complaint suppresses the address; other records are acknowledged and ignored. Without the setting the path is `NOT_FOUND`.
     *
     *     Takes a separate credential. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["PostmarkWebhookInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["WebhookReceipt"];
          };
        };
      };
    };
  };
  "/v1/mail/feedback/ses": {
    /**
     * Receive bounces and complaints of Amazon SES
     * @description Receives bounces and complaints of Amazon SES through an SNS topic. Only topics of the setting `MAIL_SES_TOPICS` are accepted, their signature is verified, and their subscription is confirmed automatically. Without the setting the path is `NOT_FOUND`.
     *
     *     Takes no credential. The body has at most 300 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "*/*": unknown;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["WebhookReceipt"];
          };
        };
      };
    };
  };
  "/v1/mail/messages": {
    /**
     * List sent mail
     * @description Returns the organization's mail, the newest first. The filters can be combined; `since` is inclusive, `before` is exclusive.
     *
     *     Requires the permission `mail.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only what was accepted before this time. */
          before?: string;
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description Only the mail with this id. */
          messageId?: string;
          /** @description Only what was accepted from this time on. */
          since?: string;
          /** @description Only mail in this status. */
          status?: "queued" | "sending" | "sent" | "bounced" | "failed" | "suppressed";
          /** @description Only mail to this address. */
          to?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MailMessagePage"];
          };
        };
      };
    };
  };
  "/v1/mail/messages/{messageId}": {
    /**
     * Read a mail and what happened to it
     * @description Returns one mail with its sender and everything that happened to it: queued, sent, bounced, complained, failed or suppressed.
     *
     *     Requires the permission `mail.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the message. */
          messageId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MailMessageDetails"];
          };
        };
      };
    };
  };
  "/v1/mail/messages/{messageId}/resend": {
    /**
     * Send a failed mail again
     * @description Sends a mail that `failed` or `bounced` again as a new mail, with the same template version, variables and attachments, from the present sender. Use it after the cause is fixed. It uses one unit of the plan as every mail does, and is recorded in the audit log. A mail in another status, one whose content is no longer stored, and mail of the platform itself are `MESSAGE_NOT_RESENDABLE`: `isResendable` tells.
     *
     *     Requires the permission `mail.send`.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the message. */
          messageId: string;
        };
      };
      responses: {
        202: {
          content: {
            "application/json": components["schemas"]["AcceptedMail"];
          };
        };
      };
    };
  };
  "/v1/mail/send": {
    /**
     * Send a mail
     * @description Sends the published version of a template to one recipient. `202` means that the mail is stored durably and will be sent; follow it with `GET /v1/mail/messages/{messageId}`. A suppressed recipient gets nothing, and the status is `suppressed`. Every accepted mail uses one unit of the plan; a recipient who gets too many mails in an hour is `RATE_LIMITED`.
     *
     *     Requires the permission `mail.send`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["MailInput"];
        };
      };
      responses: {
        202: {
          content: {
            "application/json": components["schemas"]["AcceptedMail"];
          };
        };
      };
    };
  };
  "/v1/mail/settings": {
    /**
     * Read the sender of mail
     * @description Returns the sender that recipients see, with the platform's defaults where the organization has chosen nothing.
     *
     *     Requires the permission `mail.read`.
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MailSettings"];
          };
        };
      };
    };
    /**
     * Change the sender of mail
     * @description Replaces the sender of the organization's mail; a field that is omitted returns to its default. Without `from`, mail comes from the platform's address; an address of your own domain must be allowed by the operator. Changes take effect within half a second.
     *
     *     Requires the permission `mail.settings.write`. The body has at most 100 KiB.
     */
    put: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["MailSettingsInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MailSettings"];
          };
        };
      };
    };
  };
  "/v1/mail/suppressions": {
    /**
     * List suppressed addresses
     * @description Returns the addresses to which the organization sends nothing, the newest first: after a permanent bounce, a complaint, an unsubscription, or by hand.
     *
     *     Requires the permission `mail.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only this email address. */
          address?: string;
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SuppressionPage"];
          };
        };
      };
    };
    /**
     * Suppress an address
     * @description Suppresses an address by hand: no mail is sent to it until the suppression is deleted. An address that is suppressed already keeps its reason.
     *
     *     Requires the permission `mail.settings.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["SuppressionInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Suppression"];
          };
        };
      };
    };
  };
  "/v1/mail/suppressions/{suppressionId}": {
    /**
     * Send to a suppressed address again
     * @description Deletes a suppression, so that mail is sent to the address again. Another bounce or complaint suppresses it again.
     *
     *     Requires the permission `mail.settings.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the suppression (`sup_…`). */
          suppressionId: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/v1/mail/template-starters": {
    /**
     * List ready-made mail templates
     * @description Returns templates of the platform to begin with, sorted by `starter`. Send that name to create a template of your own from it.
     *
     *     Requires the permission `mail.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MailTemplateStarterPage"];
          };
        };
      };
    };
  };
  "/v1/mail/templates": {
    /**
     * List the mail templates
     * @description Returns the mail templates in the order of their creation, without their content. `search` finds those whose name begins with it, in the order of names.
     *
     *     Requires the permission `mail.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The beginning of a name. Case and accents are ignored. */
          search?: string & (string);
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["TemplateSummaryPage"];
          };
        };
      };
    };
    /**
     * Create a mail template
     * @description Creates a template with its first version, which is published unless `publish` is false. Name a `starter` to begin with a ready-made template. Every part is compiled and rendered with the samples first: a part that fails is refused with `INPUT_INVALID`, whose details name it. The plan limits the number of templates.
     *
     *     Requires the permission `mail.templates.write`. The body has at most 512 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["MailTemplateInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["MailTemplate"];
          };
        };
      };
    };
  };
  "/v1/mail/templates/{templateId}": {
    /**
     * Read a mail template
     * @description Returns a template with the content of its latest version, or of the one that `version` names. A deleted template is `NOT_FOUND`.
     *
     *     Requires the permission `mail.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The number of the version; by default the latest one. */
          version?: number;
        };
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MailTemplate"];
          };
        };
      };
    };
    /**
     * Delete a mail template
     * @description Deletes a template; new messages can no longer use it. Messages that were accepted before are still sent. This cannot be undone.
     *
     *     Requires the permission `mail.templates.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change a mail template
     * @description Creates a new version with the parts that the body names, and publishes it unless `publish` is false. Null removes a part or a language. A change of the name alone creates no version. A template has at most 500 versions (`LIMIT_REACHED`); a concurrent change is `CONFLICT`.
     *
     *     Requires the permission `mail.templates.write`. The body has at most 512 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["MailTemplateUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MailTemplate"];
          };
        };
      };
    };
  };
  "/v1/mail/templates/{templateId}/preview": {
    /**
     * Preview a mail template
     * @description Renders a version with the variables that you send and the samples of the others, and sends nothing. With `draft`, parts are replaced without being stored, as an editor does while its user types.
     *
     *     Requires the permission `mail.read`. The body has at most 512 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["MailTemplatePreviewInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MailTemplatePreview"];
          };
        };
      };
    };
  };
  "/v1/mail/templates/{templateId}/publish": {
    /**
     * Publish a version of a mail template
     * @description Makes a version the one that new messages use: the latest one, or an earlier one to return to it. Messages that were accepted before keep their version.
     *
     *     Requires the permission `mail.templates.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["TemplatePublicationInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["MailTemplate"];
          };
        };
      };
    };
  };
  "/v1/mail/templates/{templateId}/test": {
    /**
     * Send a test of a mail template
     * @description Sends a version of a template to one address, with the samples in place of variables that you do not send. Without `version` it is the latest one, published or not. A test uses one unit of the plan like any mail.
     *
     *     Requires the permission `mail.send`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["MailTemplateTestInput"];
        };
      };
      responses: {
        202: {
          content: {
            "application/json": components["schemas"]["AcceptedMail"];
          };
        };
      };
    };
  };
  "/v1/mail/templates/{templateId}/versions": {
    /**
     * List the versions of a mail template
     * @description Returns the versions of a template, the newest first, without their content: read one with `version`, or publish it to return to it.
     *
     *     Requires the permission `mail.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["TemplateVersionSummaryPage"];
          };
        };
      };
    };
  };
  "/v1/notifications": {
    /**
     * List the organization's notifications
     * @description Returns the organization's notifications, the newest first. The filters can be combined; `since` is inclusive, `before` is exclusive.
     *
     *     Requires the permission `notification.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only what was accepted before this time. */
          before?: string;
          /** @description Only of this channel. */
          channel?: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description Only the notification with this id. */
          notificationId?: string;
          /** @description Only to this recipient: a customer id or an address at a provider. */
          recipientId?: string;
          /** @description Only what was accepted from this time on. */
          since?: string;
          /** @description Only in this status. */
          status?: "queued" | "sending" | "sent" | "failed";
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["NotificationPage"];
          };
        };
      };
    };
  };
  "/v1/notifications/{notificationId}": {
    /**
     * Read a notification with its events
     * @description Returns one notification and every attempt to send it, with the connection that was used and the reason of a failure.
     *
     *     Requires the permission `notification.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the notification (`ntf_…`). */
          notificationId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["NotificationDetails"];
          };
        };
      };
    };
  };
  "/v1/notifications/{notificationId}/resend": {
    /**
     * Send a failed notification again
     * @description Sends a notification that `failed` again as a new one, with the same text and addresses, and waits up to 1.5 seconds for the first attempt. Use it after the cause is fixed. It uses one unit of the plan as every notification does, and is recorded in the audit log. A notification in another status, and one whose text is no longer stored, is `MESSAGE_NOT_RESENDABLE`: `isResendable` tells.
     *
     *     Requires the permission `notification.send`.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the notification (`ntf_…`). */
          notificationId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SentNotification"];
          };
        };
      };
    };
  };
  "/v1/notifications/channels": {
    /**
     * List the organization's channel connections
     * @description Returns the organization's connections to providers in the order of their creation, of one channel if you filter. Credentials are never shown.
     *
     *     Requires the permission `notification.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only of this channel. */
          channel?: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["ChannelPage"];
          };
        };
      };
    };
    /**
     * Connect a channel
     * @description Connects a channel to a provider with the credentials you have there. The provider checks them first: credentials that it refuses are `INPUT_INVALID`; if it gives no clear answer, as a webhook that is not ready, the connection is a `draft`, which a successful test connects. Credentials are stored encrypted and never shown.
     *
     *     Requires the permission `notification.channels.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["ChannelInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Channel"];
          };
        };
      };
    };
  };
  "/v1/notifications/channels/{channelId}": {
    /**
     * Read a channel connection
     * @description Returns one connection of the organization, with its state and the last error of its provider. Credentials are never shown.
     *
     *     Requires the permission `notification.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the channel connection (`chn_…`). */
          channelId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Channel"];
          };
        };
      };
    };
    /**
     * Disconnect a channel
     * @description Removes a connection with its credentials. Notifications that wait are sent by another connection of the channel, if there is one.
     *
     *     Requires the permission `notification.channels.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the channel connection (`chn_…`). */
          channelId: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change a channel connection
     * @description Changes the fields that the body names. Credentials are replaced as a whole and verified with the provider first. `enabled: false` turns the connection off, so that notifications take another one; `true` turns it on again.
     *
     *     Requires the permission `notification.channels.write`. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The id of the channel connection (`chn_…`). */
          channelId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ChannelUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Channel"];
          };
        };
      };
    };
  };
  "/v1/notifications/channels/{channelId}/test": {
    /**
     * Send a test message by a channel connection
     * @description Sends a test message by this connection, in any state, and waits up to 20 seconds for the outcome. A success connects a draft, and a connection whose credentials were refused before. It uses one unit of the plan like any notification.
     *
     *     Requires the permission `notification.channels.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the channel connection (`chn_…`). */
          channelId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ChannelTestInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["ChannelTest"];
          };
        };
      };
    };
  };
  "/v1/notifications/send": {
    /**
     * Send a notification
     * @description Sends the published version of a template to one recipient on a channel: a customer by id, or an address at the provider. Waits up to 1.5 seconds for the first attempt: `sent` means that the provider took it, `queued` that it is stored durably and will be tried for 24 hours. The connections of the channel are tried in the order of their priority. Uses one unit of the plan.
     *
     *     Requires the permission `notification.send`. The body has at most 512 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["NotificationInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SentNotification"];
          };
        };
      };
    };
  };
  "/v1/notifications/template-starters": {
    /**
     * List ready-made notification templates
     * @description Returns templates of the platform to begin with, sorted by `starter`. Send that name to create a template of your own from it.
     *
     *     Requires the permission `notification.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["NotificationTemplateStarterPage"];
          };
        };
      };
    };
  };
  "/v1/notifications/templates": {
    /**
     * List the notification templates
     * @description Returns the notification templates in the order of their creation, without their content. `search` finds those whose name begins with it, in the order of names.
     *
     *     Requires the permission `notification.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The beginning of a name. Case and accents are ignored. */
          search?: string & (string);
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["TemplateSummaryPage"];
          };
        };
      };
    };
    /**
     * Create a notification template
     * @description Creates a template with its first version, which is published unless `publish` is false. Name a `starter` to begin with a ready-made template. Every part is compiled and rendered with the samples first: a part that fails is refused with `INPUT_INVALID`, whose details name it. The plan limits the number of templates.
     *
     *     Requires the permission `notification.templates.write`. The body has at most 512 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["NotificationTemplateInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["NotificationTemplate"];
          };
        };
      };
    };
  };
  "/v1/notifications/templates/{templateId}": {
    /**
     * Read a notification template
     * @description Returns a template with the content of its latest version, or of the one that `version` names. A deleted template is `NOT_FOUND`.
     *
     *     Requires the permission `notification.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The number of the version; by default the latest one. */
          version?: number;
        };
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["NotificationTemplate"];
          };
        };
      };
    };
    /**
     * Delete a notification template
     * @description Deletes a template; new messages can no longer use it. Messages that were accepted before are still sent. This cannot be undone.
     *
     *     Requires the permission `notification.templates.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change a notification template
     * @description Creates a new version with the parts that the body names, and publishes it unless `publish` is false. Null removes a part or a language. A change of the name alone creates no version. A template has at most 500 versions (`LIMIT_REACHED`); a concurrent change is `CONFLICT`.
     *
     *     Requires the permission `notification.templates.write`. The body has at most 512 KiB.
     */
    patch: {
      parameters: {
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NotificationTemplateUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["NotificationTemplate"];
          };
        };
      };
    };
  };
  "/v1/notifications/templates/{templateId}/preview": {
    /**
     * Preview a notification template
     * @description Renders a version with the variables that you send and the samples of the others, and sends nothing. With `draft`, parts are replaced without being stored, as an editor does while its user types.
     *
     *     Requires the permission `notification.read`. The body has at most 512 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NotificationTemplatePreviewInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["NotificationTemplatePreview"];
          };
        };
      };
    };
  };
  "/v1/notifications/templates/{templateId}/publish": {
    /**
     * Publish a version of a notification template
     * @description Makes a version the one that new messages use: the latest one, or an earlier one to return to it. Messages that were accepted before keep their version.
     *
     *     Requires the permission `notification.templates.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["TemplatePublicationInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["NotificationTemplate"];
          };
        };
      };
    };
  };
  "/v1/notifications/templates/{templateId}/test": {
    /**
     * Send a test of a notification template
     * @description Sends a version of a template to one recipient, with the samples in place of variables that you do not send. Without `version` it is the latest one, published or not. A test uses one unit of the plan like any notification.
     *
     *     Requires the permission `notification.send`. The body has at most 512 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["NotificationTemplateTestInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SentNotification"];
          };
        };
      };
    };
  };
  "/v1/notifications/templates/{templateId}/versions": {
    /**
     * List the versions of a notification template
     * @description Returns the versions of a template, the newest first, without their content: read one with `version`, or publish it to return to it.
     *
     *     Requires the permission `notification.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The id of the template (`tpl_…`). */
          templateId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["TemplateVersionSummaryPage"];
          };
        };
      };
    };
  };
  "/v1/objects/{bucket}/{key}": {
    /**
     * Read an object
     * @description Returns the bytes of an object: with a credential, with an address that was signed for the download, or without either if the object is public. Answers to `Range` and to `If-None-Match` work as in HTTP; the `ETag` is the SHA-256 of the bytes. Images are transformed at their public address only.
     *
     *     Requires the permission `storage.read`. Links that the platform has signed, and what is public, need no credential.
     */
    get: {
      parameters: {
        query?: {
          /** @description The signature of a signed address. It replaces a credential. */
          signature?: string;
        };
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
        path: {
          /** @description The name of the bucket. */
          bucket: string;
          /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
          key: string;
        };
      };
      responses: {
        200: {
          content: {
            "*/*": unknown;
          };
        };
      };
    };
    /**
     * Upload an object
     * @description Stores the body as the object with this key, under a credential or an address that `POST /v1/presign` has signed. The type is checked against the bytes. An existing object is replaced as a whole, and only by a credential that may also delete objects; `If-None-Match: *` refuses to replace at all. A signed address works once (`SIGNATURE_USED`).
     *
     *     Requires the permission `storage.upload`. Links that the platform has signed, and what is public, need no credential. The body has at most 5,120 MiB.
     */
    put: {
      parameters: {
        query?: {
          /** @description Whether it can be read without a credential. An object is public only in a public bucket. */
          public?: "true" | "false";
          /** @description The signature of a signed address. It replaces a credential. */
          signature?: string;
        };
        header?: {
          /** @description Only if the object has one of these ETags; `*`: only if there is one. */
          "if-match"?: string;
          /** @description Only if the object has none of these ETags; `*`: only if there is none. */
          "if-none-match"?: string;
          /** @description Only if the object was not replaced since this HTTP date. */
          "if-unmodified-since"?: string;
        };
        path: {
          /** @description The name of the bucket. */
          bucket: string;
          /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
          key: string;
        };
      };
      requestBody: {
        content: {
          "*/*": unknown;
          "application/octet-stream": unknown;
          "multipart/form-data": unknown;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["StoredObject"];
          };
        };
      };
    };
    /**
     * Delete an object
     * @description Deletes an object; its bytes no longer count towards the storage of the plan. With `If-Match`, an object that was replaced since is kept and the answer is `PRECONDITION_FAILED`.
     *
     *     Requires the permission `storage.delete`.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Only if the object has one of these ETags; `*`: only if there is one. */
          "if-match"?: string;
          /** @description Only if the object has none of these ETags; `*`: only if there is none. */
          "if-none-match"?: string;
          /** @description Only if the object was not replaced since this HTTP date. */
          "if-unmodified-since"?: string;
        };
        path: {
          /** @description The name of the bucket. */
          bucket: string;
          /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
          key: string;
        };
      };
      responses: {
        204: {};
      };
    };
    /**
     * Change an object
     * @description Changes whether an object is public, and replaces its metadata as a whole. The bytes and the version stay. An object cannot be public in a private bucket.
     *
     *     Requires the permission `storage.upload`. The body has at most 100 KiB.
     */
    patch: {
      parameters: {
        header?: {
          /** @description Only if the object has one of these ETags; `*`: only if there is one. */
          "if-match"?: string;
          /** @description Only if the object has none of these ETags; `*`: only if there is none. */
          "if-none-match"?: string;
          /** @description Only if the object was not replaced since this HTTP date. */
          "if-unmodified-since"?: string;
        };
        path: {
          /** @description The name of the bucket. */
          bucket: string;
          /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
          key: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["ObjectUpdateInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["StoredObject"];
          };
        };
      };
    };
  };
  "/v1/objects/copy": {
    /**
     * Copy an object
     * @description Copies an object to another key or bucket. The copy has its own bytes, which count towards the storage of the plan. Needs `storage.read` in addition, and `storage.delete` to replace an existing object. A large object can take minutes.
     *
     *     Requires the permission `storage.upload`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["ObjectTransferInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["StoredObject"];
          };
        };
      };
    };
  };
  "/v1/objects/delete": {
    /**
     * Delete several objects
     * @description Deletes up to 1,000 objects of one bucket, each independently of the others. The answer says for each key whether it was deleted; a missing object has the error `NOT_FOUND`. A repeated key is deleted once.
     *
     *     Requires the permission `storage.delete`. The body has at most 8 MiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["ObjectDeletionInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["ObjectDeletionList"];
          };
        };
      };
    };
  };
  "/v1/objects/move": {
    /**
     * Move an object
     * @description Moves an object to another key or bucket. Needs `storage.delete` in addition. An object at the target is replaced; an object that is changed during the move is refused with `CONFLICT` and stays.
     *
     *     Requires the permission `storage.upload`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["ObjectTransferInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["StoredObject"];
          };
        };
      };
    };
  };
  "/v1/orgs/{orgId}/cancel": {
    /**
     * Cancel the subscription at the end of its period
     * @description Cancels the subscription at the end of its paid period; until then the plan stays in force, and the cancellation can be withdrawn with `resume`. A subscription that no longer grants anything ends immediately. A repeated call changes nothing and keeps the first `reason`. On the free plan the answer is `PLAN_IS_FREE`.
     *
     *     Requires the permission `billing.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": components["schemas"]["CancellationInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Subscription"];
          };
        };
      };
    };
  };
  "/v1/orgs/{orgId}/checkout": {
    /**
     * Begin the purchase of a plan
     * @description Opens a checkout for a plan or a change of plan, and returns the address to which you send the payer. An organization has at most one open checkout: an equal request gets the same answer, and a different one replaces it. This call changes no plan: an upgrade takes effect when it is paid, a downgrade at the end of the period. `successUrl` and `cancelUrl` must be addresses of this platform, of a redirect origin of one of the organization's OAuth clients, or of an origin that the operator allows.
     *
     *     Requires the permission `billing.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["CheckoutInput"];
        };
      };
      responses: {
        201: {
          content: {
            "application/json": components["schemas"]["Checkout"];
          };
        };
      };
    };
  };
  "/v1/orgs/{orgId}/entitlements": {
    /**
     * Read what an organization's plan includes
     * @description Returns what the organization's plan includes, group by group, so that a client can show or hide features before it renders. A group that is not included is `{ "enabled": false }`. Changes of the plan are visible within half a second.
     *
     *     Requires the permission `billing.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["OrganizationEntitlements"];
          };
        };
      };
    };
  };
  "/v1/orgs/{orgId}/invoices": {
    /**
     * List invoices
     * @description Returns the organization's invoices, the newest first. Each `pdfUrl` opens without a credential for one hour; list the invoices again for a new link. Members read them in a browser also while the organization is suspended.
     *
     *     Requires the permission `billing.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["InvoicePage"];
          };
        };
      };
    };
  };
  "/v1/orgs/{orgId}/resume": {
    /**
     * Resume a cancelled subscription
     * @description Withdraws a cancellation before the period has ended, so that the subscription renews as before. A subscription that is not cancelled stays as it is. On the free plan the answer is `PLAN_IS_FREE`.
     *
     *     Requires the permission `billing.write`.
     */
    post: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Subscription"];
          };
        };
      };
    };
  };
  "/v1/orgs/{orgId}/subscription": {
    /**
     * Read an organization's subscription
     * @description Returns the organization's plan, its status and its current period. Every organization has a subscription; one that never paid is on `free`.
     *
     *     Requires the permission `billing.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Subscription"];
          };
        };
      };
    };
  };
  "/v1/orgs/{orgId}/usage": {
    /**
     * Read the usage of the plan
     * @description Returns how much of the plan the organization uses now: events of today, mails and notifications of this month, and stored gigabytes. Days and months begin at midnight UTC. Work in progress counts as used.
     *
     *     Requires the permission `billing.read`.
     */
    get: {
      parameters: {
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Usage"];
          };
        };
      };
    };
  };
  "/v1/orgs/{orgId}/usage/history": {
    /**
     * List the usage of past periods
     * @description Returns the usage of each meter in past days and months, the newest first, for 13 months. Usage that is settled late is added to its period within an hour.
     *
     *     Requires the permission `billing.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description The kind of use that is counted. */
          meter?: string | ("context.eventsPerDay" | "intelligence.recommendationsPerDay" | "notification.sendsPerMonth" | "mail.sendsPerMonth" | "storage.bandwidthGbPerMonth") | unknown;
        };
        path: {
          /** @description The id of the organization (`org_…`). */
          orgId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["UsagePeriodPage"];
          };
        };
      };
    };
  };
  "/v1/plans": {
    /**
     * List the plans that are sold
     * @description Returns the plans on sale today, the smallest first, with their prices, what they include and their limits. Prices are in minor units of the currency (cents) and include tax.
     *
     *     Takes no credential.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["PlanPage"];
          };
        };
      };
    };
  };
  "/v1/presign": {
    /**
     * Sign an address for an upload
     * @description Signs an address to which a client without a credential can PUT one file, for at most an hour. Send the returned `headers` with the PUT. The file must have the type that you declared (`application/octet-stream` allows every type), and the size if you declared one; the object exists, and counts, after the PUT.
     *
     *     Requires the permission `storage.upload`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["PresignedUploadInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["PresignedUpload"];
          };
        };
      };
    };
  };
  "/v1/presign/download": {
    /**
     * Sign an address for a download
     * @description Signs an address that reads an object without a credential until it expires, for at most an hour. It stays valid until then, even if the credential that signed it is revoked.
     *
     *     Requires the permission `storage.read`. The body has at most 100 KiB.
     */
    post: {
      parameters: {};
      requestBody: {
        content: {
          "application/json": components["schemas"]["PresignedDownloadInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SignedUrl"];
          };
        };
      };
    };
  };
  "/v1/story/customers": {
    /**
     * List and search customers
     * @description Returns the customers who have a story, those with the latest event first. `q` finds the customer whom an id, an email address or a phone number names, then those whose name begins with it. An event enters the list together with the story, shortly after it was accepted.
     *
     *     Requires the permission `context.story.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The language of the text: English, or `de` for German. */
          language?: "en" | "de";
          /** @description The maximum number of items in the answer. */
          limit?: number;
          /** @description An id, an email address, a phone number, or the beginning of a name. */
          q?: string & (string);
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["CustomerPage"];
          };
        };
      };
    };
  };
  "/v1/story/customers/{customerId}": {
    /**
     * Read a customer's story
     * @description Returns the story of a customer: a title and a summary, composed from all events that were accepted before the request. The id of a customer that was merged into another returns the story of the other. A customer without events is `STORY_NOT_FOUND`.
     *
     *     Requires the permission `context.story.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The language of the text: English, or `de` for German. */
          language?: "en" | "de";
        };
        path: {
          /** @description The customer's id in your own system, as your events name it. */
          customerId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Story"];
          };
        };
      };
    };
    /**
     * Erase a customer: story, events and identifiers
     * @description Erases a person: their story, events and identifiers, their mail, notifications and conversations. In place of the id, the path can be an email address or a phone number of a person without an id. Only the ids of the events stay, for 30 days, so that a late repetition is not accepted again. This cannot be undone.
     *
     *     Requires the permission `context.events.write`.
     */
    delete: {
      parameters: {
        path: {
          /** @description The customer's id in your own system, as your events name it. */
          customerId: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
  "/v1/story/customers/{customerId}/events": {
    /**
     * List the events of a customer's story
     * @description Returns the events behind a story in its order, the oldest first. A page of large events can be shorter than `limit`; only `nextCursor` says whether there are more. Events older than the plan's retention are not included.
     *
     *     Requires the permission `context.story.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        path: {
          /** @description The customer's id in your own system, as your events name it. */
          customerId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["StoryEventPage"];
          };
        };
      };
    };
  };
  "/v1/story/customers/{customerId}/merge": {
    /**
     * Merge two customers
     * @description Makes one customer of two records of the same person, with one story of all their events, and returns the story. Its `customerId` is the id of the earliest event; both ids lead to it afterwards. The permission `context.story.read` is required too. Customers who are one already are not changed, so a repetition is safe. A merge cannot be undone.
     *
     *     Requires the permission `context.events.write`. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        query?: {
          /** @description The language of the text: English, or `de` for German. */
          language?: "en" | "de";
        };
        path: {
          /** @description The customer's id in your own system, as your events name it. */
          customerId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["CustomerMergeInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Story"];
          };
        };
      };
    };
  };
  "/v1/story/resolve": {
    /**
     * Find a story by customer id, email or phone number
     * @description Returns the story of the customer that a customer id, an email address or a phone number names. If it names no customer or several, the answer is `STORY_NOT_FOUND`.
     *
     *     Requires the permission `context.story.read`.
     */
    get: {
      parameters: {
        query: {
          /** @description The language of the text: English, or `de` for German. */
          language?: "en" | "de";
          /** @description A customer id, an email address or a phone number. */
          q: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Story"];
          };
        };
      };
    };
  };
  "/v1/upload": {
    /**
     * Upload a file by a form
     * @description Stores the file of a form (`multipart/form-data`, field `file`). Without `bucket` it goes into the organization's default bucket, whose objects are public unless you send `public: false`; without `key` it gets a new key. An existing object is replaced only by a credential that may also delete objects. To upload from a browser without your credential, sign an address first.
     *
     *     Requires the permission `storage.upload`. The body has at most 100 MiB.
     */
    post: {
      parameters: {
        header?: {
          /** @description Only if the object has one of these ETags; `*`: only if there is one. */
          "if-match"?: string;
          /** @description Only if the object has none of these ETags; `*`: only if there is none. */
          "if-none-match"?: string;
          /** @description Only if the object was not replaced since this HTTP date. */
          "if-unmodified-since"?: string;
        };
      };
      requestBody: {
        content: {
          "multipart/form-data": unknown;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["StoredObject"];
          };
        };
      };
    };
  };
  "/v1/upload/form": {
    /**
     * Upload a file by a form of the console
     * @description Receives the form by which a page of the console uploads without a script, at an address that the page has signed, and returns to the page with the key (`uploaded`) or an error code (`refused`). To upload from your own pages use `POST /v1/presign`.
     *
     *     Requires the permission `storage.upload`. Links that the platform has signed, and what is public, need no credential. The body has at most 100 MiB.
     */
    post: {
      parameters: {
        query: {
          /** @description The signature of a signed address. It replaces a credential. */
          signature: string;
        };
      };
      requestBody: {
        content: {
          "multipart/form-data": unknown;
        };
      };
      responses: never;
    };
  };
  "/v1/usage": {
    /**
     * Read what storage is used
     * @description Returns the stored gigabytes, the traffic of this month and the usage of each bucket. A gigabyte has 1,000,000,000 bytes. `limitGb` is null if the plan does not include storage.
     *
     *     Requires the permission `storage.read`.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["StorageUsage"];
          };
        };
      };
    };
  };
  "/v1/widget/attachments": {
    /**
     * Sign an address for a file of the visitor
     * @description Signs an address to which the visitor's browser PUTs a file of at most 10 MiB within 15 minutes. Then name the `attachmentId` in a message. A file that no message names is deleted after an hour.
     *
     *     Takes a separate credential. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["AttachmentInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AttachmentUpload"];
          };
        };
      };
    };
  };
  "/v1/widget/attachments/{attachmentId}": {
    /**
     * Sign an address to read a file of the visitor's conversation
     * @description Signs an address that reads a file of the visitor's conversation for five minutes. A file of an internal note is `NOT_FOUND`.
     *
     *     Takes a separate credential.
     */
    get: {
      parameters: {
        query: {
          /** @description The id of the conversation (`conv_…`). */
          conversationId: string;
        };
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
        path: {
          /** @description The id of the attachment (`obj_…`). */
          attachmentId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SignedUrl"];
          };
        };
      };
    };
  };
  "/v1/widget/conversations": {
    /**
     * List the visitor's conversations
     * @description Returns the conversations of the visitor, the current one first.
     *
     *     Takes a separate credential.
     */
    get: {
      parameters: {
        query?: {
          /** @description The `nextCursor` of the previous page. Omit it for the first page. */
          cursor?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["WidgetConversationPage"];
          };
        };
      };
    };
  };
  "/v1/widget/messages": {
    /**
     * List the messages of the visitor's conversation
     * @description Returns the messages of the visitor's current conversation, or of another one, in ascending order: those after the number `after`, those before `before`, or the latest. Internal notes are never included and have no number.
     *
     *     Takes a separate credential.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only messages after this number. */
          after?: number;
          /** @description Only messages before this number. Ignored with `after`. */
          before?: number;
          /** @description The id of a conversation of the visitor; by default the current one. */
          conversationId?: string;
          /** @description The maximum number of items in the answer. */
          limit?: number;
        };
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["WidgetMessageList"];
          };
        };
      };
    };
    /**
     * Send a message as the visitor
     * @description Sends a message of the visitor. It reopens a conversation that was closed within seven days; otherwise it begins a new one. `echoId` makes it safe to send again: a repetition adds nothing and gets the first answer. A visitor can send 30 messages a minute.
     *
     *     Takes a separate credential. The body has at most 32 KiB.
     */
    post: {
      parameters: {
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["WidgetMessageInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["WidgetMessage"];
          };
        };
      };
    };
  };
  "/v1/widget/read": {
    /**
     * Mark the visitor's conversation as read up to a message
     * @description Records that the visitor has read up to a message; the agents see it. A number below the present one changes nothing.
     *
     *     Takes a separate credential. The body has at most 100 KiB.
     */
    post: {
      parameters: {
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["WidgetReadPositionInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["WidgetConversation"];
          };
        };
      };
    };
  };
  "/v1/widget/sessions": {
    /**
     * Begin or continue the session of a visitor
     * @description Begins or continues the session of a visitor, and returns the token for all other widget requests. Send the previous token to continue an anonymous visitor's history. With `userHash`, `user` is a verified identity, which has one history on all devices; without it name and email are unverified. The Origin must be allowed for the website.
     *
     *     Takes no credential. The body has at most 8 KiB.
     */
    post: {
      parameters: {
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": components["schemas"]["WidgetSessionInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["WidgetSession"];
          };
        };
      };
    };
  };
  "/v1/widget/site": {
    /**
     * Read how a site's widget looks
     * @description Returns the name and the colours of a website's widget. Pages that may not embed it get `ORIGIN_REFUSED`.
     *
     *     Takes no credential.
     */
    get: {
      parameters: {
        query: {
          /** @description The id of the website (`site_…`); by default the first one of the organization. */
          siteId?: string;
          /** @description The id of the organization (`org_…`). */
          tenantId: string;
        };
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["WidgetSite"];
          };
        };
      };
    };
  };
  "/v1/widget/stream": {
    /**
     * Listen to what changes for the visitor
     * @description Opens a stream of server-sent events for the visitor: `message`, `read`, `typing`, `conversation` and `site`. An event only says that something has changed; read it with the other operations. A block or a revoked identity ends the stream.
     *
     *     Takes a separate credential.
     */
    get: {
      parameters: {
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
      };
      responses: {
        200: {
          content: {
            "text/event-stream": unknown;
          };
        };
      };
    };
  };
  "/v1/widget/typing": {
    /**
     * Show that the visitor is typing
     * @description Shows the agents for a moment that the visitor is typing. Nothing is stored.
     *
     *     Takes a separate credential.
     */
    post: {
      parameters: {
        header?: {
          /** @description The origin of the page, which browsers send. */
          origin?: string;
        };
      };
      responses: {
        204: {};
      };
    };
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AcceptedEvent: {
      /** @description The customer whose story shows the event; null if it is in no story. */
      customerId: string | null;
      /** @description The UUID of the event, unique in the organization. */
      eventId: string;
      /**
       * @description The event is stored durably.
       * @constant
       */
      status: "accepted";
      /** @description Whether stories interpret the name of the event. */
      understood: boolean;
    };
    AcceptedMail: {
      /** @description The id of the mail (`msg_…`). */
      messageId: string;
      /**
       * @description `queued`: it will be sent. `suppressed`: nothing is sent, because the address is suppressed.
       * @enum {string}
       */
      status: "queued" | "suppressed";
    };
    AcceptedMembership: {
      /**
       * Format: date-time
       * @description When the member joined.
       */
      createdAt: string;
      /** @description The name that others see; null if not set. */
      displayName: string | null;
      /** @description The address with which the member signs in; null if the account is gone. */
      email: string | null;
      /** @description The organization that the user has joined. */
      organization: {
        /** @description The unique id. Its prefix says of what kind it is. */
        id: string;
        /** @description The name that people see. */
        name: string;
        /** @description The name in addresses: 1 to 63 lower-case letters, digits and dashes. Unique on the platform; it never changes. */
        slug: string;
      };
      /**
       * @description The built-in role in the organization.
       * @enum {string}
       */
      role: "owner" | "admin" | "member";
      /**
       * Format: date-time
       * @description When the membership was suspended; absent while it is in force.
       */
      suspendedAt?: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description The id of the user (`usr_…`). */
      userId: string;
    };
    AccessCheckBatchInput: {
      /** @description The checks, which are answered in this order. */
      checks: components["schemas"]["AccessQuestionInput"][];
      /** @description Answer from this revision of the organization’s access or a later one, as `Access-Revision` named it. */
      minRevision?: number;
    };
    AccessCheckInput: {
      /** @description The id of the application (`app_…`). Exactly one of `userId` and `applicationId` is sent. */
      applicationId?: string;
      /** @description The organization; by default the one of the credential. */
      context?: {
        /** @description The id of the organization (`org_…`). */
        orgId?: string;
      };
      /** @description Answer from this revision of the organization’s access or a later one, as `Access-Revision` named it. */
      minRevision?: number;
      /** @description A permission key, such as `shop.orders.refund`. */
      permission: string;
      /** @description The id of the member (`usr_…`). Exactly one of `userId` and `applicationId` is sent. */
      userId?: string;
    };
    AccessDecision: {
      /** @description Whether the permission is held. */
      allowed: boolean;
    };
    AccessDecisionBatch: {
      /** @description The answers, in the order of the checks. */
      results: components["schemas"]["AccessDecision"][];
    };
    AccessExplanation: {
      /** @description Whether the permission is held. */
      allowed: boolean;
      /** @description The assignments that allow it; empty when it is denied. */
      because: components["schemas"]["AccessGrant"][];
      /** @description Why it is denied; null when it is allowed. */
      missing: {
        /** @description The reason as a sentence for people. */
        message: string;
        /**
         * @description The reason as a code.
         * @enum {string}
         */
        reason: "SUBJECT_UNKNOWN" | "SUSPENDED" | "PERMISSION_UNKNOWN" | "NOT_GRANTED" | "EXPIRED" | "STALE";
        /** @description The ids of the roles that would grant it. */
        roles: string[];
      } | null;
    };
    AccessGrant: {
      /** @description The id of the role assignment (`asg_…`). */
      assignmentId: string;
      /** @description A permission key, such as `shop.orders.refund`. */
      permission: string;
      /** @description The id of the role: `role_…`, or built in `role_owner`, `role_admin` or `role_member`. */
      roleId: string;
      /** @description The included roles between the assigned role and the permission, in order; empty if the assigned role has it itself. */
      through: string[];
    };
    AccessQuestionInput: {
      /** @description The id of the application (`app_…`). Exactly one of `userId` and `applicationId` is sent. */
      applicationId?: string;
      /** @description The organization; by default the one of the credential. */
      context?: {
        /** @description The id of the organization (`org_…`). */
        orgId?: string;
      };
      /** @description A permission key, such as `shop.orders.refund`. */
      permission: string;
      /** @description The id of the member (`usr_…`). Exactly one of `userId` and `applicationId` is sent. */
      userId?: string;
    };
    Address: {
      /** @description The id of the address (`adr_…`). */
      addressId: string;
      /** @description Street and number. */
      addressLine: string;
      /** @description The city. */
      city: string;
      /** @description The country: a two-letter code of ISO 3166-1, such as `DE`. */
      country: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The postal code; empty for countries without them. */
      postalCode: string;
      /** @description The state or province; empty for countries without them. */
      state: string;
      /**
       * @description What the address is for.
       * @enum {string}
       */
      type: "home" | "work" | "billing" | "shipping";
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    AddressInput: {
      /** @description Street and number. */
      addressLine: string & (string);
      /** @description The city. */
      city: string & (string);
      /** @description The country: a two-letter code of ISO 3166-1, such as `DE`. */
      country: string;
      /** @description The postal code; empty for countries without them. */
      postalCode?: string | null;
      /** @description The state or province; null or empty for countries without them. */
      state?: string | null;
      /**
       * @description What the address is for.
       * @enum {string}
       */
      type: "home" | "work" | "billing" | "shipping";
    };
    AddressPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Address"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    AddressUpdateInput: {
      /** @description Street and number. */
      addressLine?: string & (string);
      /** @description The city. */
      city?: string & (string);
      /** @description The country: a two-letter code of ISO 3166-1, such as `DE`. */
      country?: string;
      /** @description The postal code; empty for countries without them. */
      postalCode?: string | null;
      /** @description The state or province; null or empty for countries without them. */
      state?: string | null;
      /**
       * @description What the address is for.
       * @enum {string}
       */
      type?: "home" | "work" | "billing" | "shipping";
    };
    Agent: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The name that visitors see; null: the name of the website. */
      displayName: string | null;
      /** @description Whether the person is present now. */
      online: boolean;
      /** @description The id of the user (`usr_…`). */
      userId: string;
    };
    AgentInput: {
      /** @description The name that visitors see; null: the name of the website. */
      displayName?: (string & (string)) | null;
      /** @description The id of the user (`usr_…`). */
      userId: string;
    };
    AgentPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Agent"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    AllowedApplication: {
      /** @description The id of the OAuth client (`cli_…`). */
      clientId: string;
      /**
       * Format: date-time
       * @description When the user first granted access.
       */
      createdAt: string;
      /** @description Whether it is one of the platform's own applications, which need no consent. */
      firstParty: boolean;
      /** @description The name that people see. */
      name: string;
      /** @description The organization of the application. */
      organization: {
        /** @description The unique id. Its prefix says of what kind it is. */
        id: string;
        /** @description The name that people see. */
        name: string;
      };
      /** @description The scopes that the user granted. */
      scopes: string[];
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    AllowedApplicationPage: {
      /** @description The items of this page. */
      data: components["schemas"]["AllowedApplication"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    ApiKey: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description When the key expires; null: never. */
      expiresAt: string | null;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description When it was last used: ISO 8601 in UTC with milliseconds, exact to a minute; null if never. */
      lastUsedAt: string | null;
      /** @description The name that people see. */
      name: string;
      /** @description What the credential may do: permission keys, or the groups `svc:read`, `svc:write` and `svc:admin`. */
      scopes: string[];
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    ApiKeyInput: {
      /** @description When the key expires; null or omitted: never. */
      expiresAt?: string | null;
      /** @description The name that people see. */
      name: string & (string);
      /** @description What the credential may do: permission keys, or the groups `svc:read`, `svc:write` and `svc:admin`. */
      scopes: string[];
    };
    ApiKeyPage: {
      /** @description The items of this page. */
      data: components["schemas"]["ApiKey"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Application: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description A text for people. It may have several lines, or be empty. */
      description: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The name that people see. */
      name: string;
      /** @description The id of the organization (`org_…`). */
      orgId: string;
      /** @description The name in addresses: 1 to 63 lower-case letters, digits and dashes. Unique on the platform; it never changes. */
      slug: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    ApplicationInput: {
      /** @description A text for people. It may have several lines, or be empty. */
      description?: string | null;
      /** @description The name that people see. */
      name: string & (string);
      /** @description The name in addresses: 1 to 63 lower-case letters, digits and dashes. Unique on the platform; it never changes. */
      slug: string;
    };
    ApplicationPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Application"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    ApplicationUpdateInput: {
      /** @description A text for people. It may have several lines, or be empty. */
      description?: string | null;
      /** @description The name that people see. */
      name?: string & (string);
    };
    Assignment: {
      /** @description The id of the application (`app_…`). */
      applicationId?: string;
      /** @description The id of the role assignment (`asg_…`). */
      assignmentId: string;
      /** @description The organization in which the role is held. */
      context: {
        /** @description The id of the organization (`org_…`). */
        orgId: string;
      };
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description When the role ends; null: never. */
      expiresAt: string | null;
      /** @description A number that grows with every change. */
      revision: number;
      /** @description The id of the role: `role_…`, or built in `role_owner`, `role_admin` or `role_member`. */
      roleId: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description The id of the user (`usr_…`). */
      userId?: string;
    };
    AssignmentInput: {
      /** @description The id of the application (`app_…`). Exactly one of `userId` and `applicationId` is sent. */
      applicationId?: string;
      /** @description The organization; by default the one of the credential. */
      context?: {
        /** @description The id of the organization (`org_…`). */
        orgId?: string;
      };
      /** @description When the role ends; null or omitted: never. Not for a built-in role. */
      expiresAt?: string | null;
      /** @description The id of the role: `role_…`, or built in `role_owner`, `role_admin` or `role_member`. */
      roleId: string;
      /** @description The id of the member (`usr_…`). Exactly one of `userId` and `applicationId` is sent. */
      userId?: string;
    };
    AssignmentPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Assignment"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Attachment: {
      /** @description The id of the attachment (`obj_…`). */
      attachmentId: string;
      /** @description The name of the file. */
      fileName: string;
      /** @description The media type, such as `image/png`. */
      mimeType: string;
      /** @description The size in bytes. */
      size: number;
    };
    AttachmentInput: {
      /** @description The name of the file. */
      fileName: string & (string);
      /** @description The media type, such as `image/png`. */
      mimeType: string;
      /** @description The size in bytes, at most 10 MiB. */
      size: number;
    };
    AttachmentUpload: {
      /** @description The id of the attachment (`obj_…`). */
      attachmentId: string;
      /**
       * Format: date-time
       * @description When it expires: ISO 8601 in UTC with milliseconds.
       */
      expiresAt: string;
      /** @description The headers to send with the upload. */
      headers: {
        [key: string]: string;
      };
      /**
       * @description The method of the upload.
       * @constant
       */
      method: "PUT";
      /** @description The address to which the file is PUT. */
      uploadUrl: string;
    };
    AuditRecord: {
      /** @description What was done, such as `api-key.created`. */
      action: string;
      /** @description Who did it. */
      actor: {
        /** @description The id of the session, API key or OAuth client; null for others. */
        credentialId: string | null;
        /** @description The id of the user or application; null for others. */
        id: string | null;
        /**
         * @description `operator`: a user of the platform’s own staff. `system`: the platform itself. `anonymous`: a request without a credential.
         * @enum {string}
         */
        type: "user" | "application" | "operator" | "system" | "anonymous";
      };
      /** @description The IP address of the request; null without one, and for operators. */
      address: string | null;
      /** @description The values after; null if none are recorded. */
      after: {
        [key: string]: unknown;
      } | null;
      /** @description The values before; null if none are recorded. */
      before: {
        [key: string]: unknown;
      } | null;
      /** @description In a record that counts requests without a credential: how many there were within the hour. */
      count?: number;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The id of the record (`aud_…`). */
      id: string;
      /**
       * Format: date-time
       * @description In a record that counts requests without a credential: when the last one was.
       */
      lastAt?: string;
      /** @description The id of the request; null without a request. */
      requestId: string | null;
      /** @description What it was done to. */
      target: {
        /** @description The id of the resource. */
        id: string;
        /** @description The kind of the resource, such as `api-key`. */
        type: string;
      };
      /** @description The program of the request; null without one, and for operators. */
      userAgent: string | null;
    };
    AuditRecordPage: {
      /** @description The items of this page. */
      data: components["schemas"]["AuditRecord"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Block: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The reason; may be empty. */
      reason: string;
      /**
       * @description What is blocked.
       * @enum {string}
       */
      type: "visitor" | "customer" | "address";
      /** @description The id of the visitor or customer, or the IP address; null for a visitor's address, which is not stored in clear text. */
      value: string | null;
      /** @description The visitor whose address is blocked; null otherwise. */
      visitorId: string | null;
    };
    BlockInput: {
      /** @description An IPv4 or IPv6 address. An IPv6 address means its /64 network. */
      address?: string;
      /** @description The customer's id in your own system, as your events name it. */
      customerId?: string;
      /**
       * @description The reason; may be empty.
       * @default
       */
      reason?: string;
      /** @description The id of the visitor (`vis_…`). */
      visitorId?: string;
      /**
       * @description Whether the network of the visitor's last session is blocked too.
       * @default false
       */
      withAddress?: boolean;
    };
    BlockList: {
      /** @description The blocks of the request. */
      data: components["schemas"]["Block"][];
    };
    BlockPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Block"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Brand: {
      /** @description The colour as `#rrggbb` in lower case; null without one. */
      color: string | null;
      /** @description The public address of the logo, a PNG. It changes with the image; null without one. */
      logoUrl: string | null;
    };
    BrandInput: {
      /** @description A colour as `#rrggbb`. Where text on it could not be read, pages use a lighter or darker one of its hue. */
      color?: string | null;
    };
    Bucket: {
      /** @description The types that can be uploaded, such as `image/png` or `image/*`; null for all. */
      allowedMimeTypes: string[] | null;
      /** @description The Cache-Control header of public objects; null for the platform's default of one minute. */
      cacheControl: string | null;
      /** @description The origins whose pages may read the objects with scripts, or `*` for all. */
      corsOrigins: string[];
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description Rules by which objects expire: those whose key begins with `prefix`, after `days` days. */
      expiry: components["schemas"]["ExpiryRule"][];
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The maximum size of an object in bytes; null for the platform's maximum. */
      maxObjectBytes: number | null;
      /** @description The name, unique on the platform. */
      name: string;
      /** @description The number of objects. */
      objectCount: number;
      /** @description Whether it can be read without a credential. An object is public only in a public bucket. */
      public: boolean;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description The bytes of the objects. */
      usedBytes: number;
    };
    BucketInput: {
      /** @description The types that can be uploaded, such as `image/png` or `image/*`; null for all. */
      allowedMimeTypes?: string[] | null;
      /** @description The Cache-Control header of public objects; null for the platform's default of one minute. */
      cacheControl?: string | null;
      /** @description The origins whose pages may read the objects with scripts, or `*` for all. */
      corsOrigins?: ("*" | string)[];
      /** @description Rules by which objects expire: those whose key begins with `prefix`, after `days` days. */
      expiry?: components["schemas"]["ExpiryRuleInput"][];
      /** @description The maximum size of an object in bytes; null for the platform's maximum. */
      maxObjectBytes?: number | null;
      /** @description The name: 3 to 63 lower-case letters, digits and dashes, with a letter or digit at both ends. */
      name: string;
      /** @description Whether it can be read without a credential. An object is public only in a public bucket. */
      public?: boolean;
    };
    BucketPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Bucket"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    BucketUpdateInput: {
      /** @description The types that can be uploaded, such as `image/png` or `image/*`; null for all. */
      allowedMimeTypes?: string[] | null;
      /** @description The Cache-Control header of public objects; null for the platform's default of one minute. */
      cacheControl?: string | null;
      /** @description The origins whose pages may read the objects with scripts, or `*` for all. */
      corsOrigins?: ("*" | string)[];
      /** @description Rules by which objects expire: those whose key begins with `prefix`, after `days` days. */
      expiry?: components["schemas"]["ExpiryRuleInput"][];
      /** @description The maximum size of an object in bytes; null for the platform's maximum. */
      maxObjectBytes?: number | null;
      /** @description Whether it can be read without a credential. An object is public only in a public bucket. */
      public?: boolean;
    };
    BucketUsage: {
      /** @description The name of the bucket. */
      bucket: string;
      /** @description The number of objects. */
      objectCount: number;
      /** @description The bytes of the objects. */
      usedBytes: number;
    };
    CancellationInput: {
      /** @description Why you cancel. The operator can read it. */
      reason?: string;
    };
    Channel: {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {string}
       */
      channel: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description Why it is not connected; null if it is. */
      lastError: string | null;
      /** @description A name of your own, which recipients do not see; may be empty. */
      name: string;
      /** @description Connections of a channel are tried in ascending order of this number. */
      priority: number;
      /**
       * @description The provider that sends on the channel.
       * @enum {string}
       */
      provider: "mailbox" | "webhook" | "telegram" | "whatsapp" | "sms" | "mail" | "web";
      /**
       * @description `draft`: not confirmed by the provider yet. `error`: the provider refused the credentials. `disabled`: turned off. Only a `connected` one sends.
       * @enum {string}
       */
      state: "draft" | "connected" | "error" | "disabled";
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description When the provider last confirmed the credentials; null if never. */
      verifiedAt: string | null;
    };
    ChannelInput: {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {string}
       */
      channel: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
      /**
       * @description The credentials at the provider. Their fields depend on the provider.
       * @default {}
       */
      credentials?: {
        [key: string]: unknown;
      };
      /** @description Whether it is turned on. */
      enabled?: boolean;
      /** @description A name of your own, which recipients do not see; may be empty. */
      name?: string;
      /** @description Connections of a channel are tried in ascending order of this number. */
      priority?: number;
      /**
       * @description The provider that sends on the channel.
       * @enum {string}
       */
      provider: "mailbox" | "webhook" | "telegram" | "whatsapp" | "sms" | "mail" | "web";
    } & ({
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {unknown}
       */
      channel?: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
      /** @description The credentials at the provider. Their fields depend on the provider. */
      credentials?: Record<string, never>;
      /**
       * @description The provider that sends on the channel.
       * @constant
       */
      provider: "mailbox";
    } | {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {unknown}
       */
      channel?: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
      /** @description The credentials at the provider. Their fields depend on the provider. */
      credentials: {
        /** @description The secret that signs the requests. */
        secret: string;
        /** @description The https address that gets the notifications. */
        url: string;
      };
      /**
       * @description The provider that sends on the channel.
       * @constant
       */
      provider: "webhook";
    } | {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {unknown}
       */
      channel?: "chatapp";
      /** @description The credentials at the provider. Their fields depend on the provider. */
      credentials: {
        /** @description The token of the bot, from BotFather. */
        botToken: string;
      };
      /**
       * @description The provider that sends on the channel.
       * @constant
       */
      provider: "telegram";
    } | {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {unknown}
       */
      channel?: "chatapp";
      /** @description The credentials at the provider. Their fields depend on the provider. */
      credentials: {
        /** @description The access token of the WhatsApp Business account. */
        accessToken: string;
        /** @description The id of the phone number at Meta. */
        phoneNumberId: string;
      };
      /**
       * @description The provider that sends on the channel.
       * @constant
       */
      provider: "whatsapp";
    } | {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {unknown}
       */
      channel?: "phone";
      /** @description The credentials at the provider. Their fields depend on the provider. */
      credentials: {
        /** @description The SID of the Twilio account. */
        accountSid: string;
        /** @description The SID of an API key. */
        apiKeySid?: string;
        /** @description The auth token, or with `apiKeySid` the secret of the API key. */
        authToken: string;
        /** @description The sender: a number in E.164, a short code, a name, or the SID of a messaging service. */
        from: string;
      };
      /**
       * @description The provider that sends on the channel.
       * @constant
       */
      provider: "sms";
    } | {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {unknown}
       */
      channel?: "email";
      /** @description The credentials at the provider. Their fields depend on the provider. */
      credentials?: Record<string, never>;
      /**
       * @description The provider that sends on the channel.
       * @constant
       */
      provider: "mail";
    } | {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {unknown}
       */
      channel?: "web";
      /** @description The credentials at the provider. Their fields depend on the provider. */
      credentials?: {
        /** @description The website on which new conversations begin; by default the first one. */
        siteId?: string;
      };
      /**
       * @description The provider that sends on the channel.
       * @constant
       */
      provider: "web";
    });
    ChannelPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Channel"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    ChannelTest: {
      /** @description The connection after the test. */
      channel: components["schemas"]["Channel"];
      /** @description Why it was not sent; null if it was. */
      error: string | null;
      /** @description The id of the notification (`ntf_…`). */
      notificationId: string;
      /**
       * @description The status of the test message.
       * @enum {string}
       */
      status: "queued" | "sending" | "sent" | "failed";
    };
    ChannelTestInput: {
      /** @description The address of the recipient at the provider. */
      recipientId: string;
    };
    ChannelUpdateInput: {
      /** @description The credentials at the provider. Their fields depend on the provider. */
      credentials?: {
        [key: string]: unknown;
      };
      /** @description Whether it is turned on. */
      enabled?: boolean;
      /** @description A name of your own, which recipients do not see; may be empty. */
      name?: string;
      /** @description Connections of a channel are tried in ascending order of this number. */
      priority?: number;
    };
    Checkout: {
      /**
       * Format: uri
       * @description The address to which you send the payer.
       */
      checkoutUrl: string;
      /**
       * Format: date-time
       * @description When it expires: ISO 8601 in UTC with milliseconds.
       */
      expiresAt: string;
      /** @description The id of the checkout (`chk_…`). */
      sessionId: string;
    };
    CheckoutInput: {
      /**
       * @description How often the plan is paid.
       * @enum {string}
       */
      billingCycle: "monthly" | "yearly";
      /** @description Where the payer is sent who does not pay. */
      cancelUrl: string;
      /**
       * @description The currency; by default the one of the subscription, or `eur`.
       * @enum {string}
       */
      currency?: "eur" | "usd";
      /**
       * @description The plan to buy. To return to `free`, cancel the subscription.
       * @enum {string}
       */
      plan: "pro" | "scale";
      /** @description Where the payer is sent after the payment. */
      successUrl: string;
    };
    Contact: {
      /** @description The id of the contact (`con_…`). */
      contactId: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description Whether it is the primary contact of its type. */
      isPrimary: boolean;
      /**
       * @description What kind of contact it is.
       * @enum {string}
       */
      type: "phone" | "email" | "chatapp" | "photoapp" | "socialapp" | "microblog";
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description The address, number or account. */
      value: string;
      /** @description Whether the user has confirmed the contact. */
      verified: boolean;
    };
    ContactInput: {
      /**
       * @description Whether it is the primary contact of its type.
       * @default false
       */
      isPrimary?: boolean;
      /**
       * @description What kind of contact it is.
       * @enum {string}
       */
      type: "phone" | "email" | "chatapp" | "photoapp" | "socialapp" | "microblog";
      /** @description The address, number or account. Phone numbers are stored in E.164. */
      value: string;
    };
    ContactPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Contact"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    ContactUpdateInput: {
      /** @description Whether it is the primary contact of its type. */
      isPrimary?: boolean;
      /** @description The address, number or account. Phone numbers are stored in E.164. */
      value?: string;
    };
    ContactVerification: {
      /** @description The id of the contact (`con_…`). */
      contactId: string;
      /**
       * @description The request was accepted.
       * @constant
       */
      status: "mailed";
    };
    Conversation: {
      /** @description The number of the last message that an agent has read. */
      agentReadSeq: number;
      /** @description The user id of the agent who is responsible; null for none. */
      assigneeId: string | null;
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @constant
       */
      channel: "web";
      /** @description The id of the conversation (`conv_…`). */
      conversationId: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The customer's id in your own system, if your server signed the identity; otherwise null. */
      customerId: string | null;
      /** @description The name of the visitor, for people. */
      customerName: string;
      /** @description The beginning of the last message that is not a note. */
      lastMessage: string;
      /**
       * Format: date-time
       * @description When the last message or note was written.
       */
      lastMessageAt: string;
      /** @description The number of the last message. */
      lastSeq: number;
      /** @description The id of the website (`site_…`). */
      siteId: string;
      /**
       * @description The status.
       * @enum {string}
       */
      status: "open" | "pending" | "closed";
      /** @description The number of messages of the visitor that no agent has read. */
      unreadCount: number;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description The id of the visitor (`vis_…`). */
      visitorId: string;
      /** @description The number of the last message that the visitor has read. */
      visitorReadSeq: number;
    };
    ConversationDetails: {
      /** @description The number of the last message that an agent has read. */
      agentReadSeq: number;
      /** @description The user id of the agent who is responsible; null for none. */
      assigneeId: string | null;
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @constant
       */
      channel: "web";
      /** @description The id of the conversation (`conv_…`). */
      conversationId: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The customer's id in your own system, if your server signed the identity; otherwise null. */
      customerId: string | null;
      /** @description The name of the visitor, for people. */
      customerName: string;
      /** @description The beginning of the last message that is not a note. */
      lastMessage: string;
      /**
       * Format: date-time
       * @description When the last message or note was written.
       */
      lastMessageAt: string;
      /** @description The number of the last message. */
      lastSeq: number;
      /** @description The id of the website (`site_…`). */
      siteId: string;
      /**
       * @description The status.
       * @enum {string}
       */
      status: "open" | "pending" | "closed";
      /** @description The number of messages of the visitor that no agent has read. */
      unreadCount: number;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description The visitor. */
      visitor: {
        /** @description The email address; null if unknown. */
        email: string | null;
        /** @description Whether your server signed the identity of the visitor. */
        isIdentified: boolean;
        /** @description When the visitor was last present; null if unknown. */
        lastSeenAt: string | null;
        /** @description The language of the visitor's browser; null if unknown. */
        locale: string | null;
        /** @description The name; null if unknown. */
        name: string | null;
        /** @description Whether the person is present now. */
        online: boolean;
        /** @description The id of the visitor (`vis_…`). */
        visitorId: string;
      };
      /** @description The id of the visitor (`vis_…`). */
      visitorId: string;
      /** @description The number of the last message that the visitor has read. */
      visitorReadSeq: number;
    };
    ConversationPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Conversation"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    ConversationUpdateInput: {
      /** @description The user id of the agent who is responsible; null for none. */
      assigneeId?: string | null;
      /**
       * @description The status.
       * @enum {string}
       */
      status?: "open" | "pending" | "closed";
    };
    CreatedApiKey: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description When the key expires; null: never. */
      expiresAt: string | null;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description When it was last used: ISO 8601 in UTC with milliseconds, exact to a minute; null if never. */
      lastUsedAt: string | null;
      /** @description The name that people see. */
      name: string;
      /** @description What the credential may do: permission keys, or the groups `svc:read`, `svc:write` and `svc:admin`. */
      scopes: string[];
      /** @description The token, `svc_live_…`. It is in this answer only. */
      token: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    CreatedOAuthClient: {
      /** @description The id of the OAuth client (`cli_…`). */
      clientId: string;
      /** @description The secret, which is in this answer only; absent for a public client. */
      clientSecret?: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description How the client gets tokens (RFC 6749). */
      grantTypes: ("authorization_code" | "client_credentials" | "refresh_token")[];
      /** @description The addresses to which users may return after they have signed out. */
      postLogoutRedirectUris: string[];
      /** @description When the last of the replaced secrets stops working; null if none works. */
      previousSecretExpiresAt: string | null;
      /** @description The addresses to which users return with a code. An exact match is required. */
      redirectUris: string[];
      /** @description The scopes that the client may ask for. */
      scopes: string[];
      /**
       * @description How the client authenticates at the token endpoint; `none` for a client without a secret.
       * @enum {string}
       */
      tokenEndpointAuthMethod: "client_secret_basic" | "client_secret_post" | "none";
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    CredentialOwner: components["schemas"]["CurrentApplication"] | components["schemas"]["CurrentUser"];
    CurrentApplication: {
      /** @description The id of the OAuth client of the request. */
      clientId?: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The id of the API key of the request. */
      keyId?: string;
      /** @description The name that people see. */
      name: string;
      /** @description The id of the organization (`org_…`). */
      orgId: string;
      /** @description What the credential may do: permission keys, or the groups `svc:read`, `svc:write` and `svc:admin`. */
      scopes: string[];
      /** @description The name in addresses: 1 to 63 lower-case letters, digits and dashes. Unique on the platform; it never changes. */
      slug: string;
      /**
       * @description Always `application`.
       * @constant
       */
      type: "application";
    };
    CurrentUser: {
      /** @description The http or https address of a picture; null if not set. */
      avatarUrl: string | null;
      /** @description The date of birth as `YYYY-MM-DD`, from 1900-01-01 to today; null if not set. */
      birthDate: string | null;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The name that others see; null if not set. */
      displayName: string | null;
      /** @description The address with which the user signs in; null without the scope `email`. */
      email: string | null;
      /** @description Whether the address is confirmed; null without the scope `email`. */
      emailVerified: boolean | null;
      /** @description The first name; null if not set. */
      firstName: string | null;
      /** @description The gender in the words of the person; null if not set. */
      gender: string | null;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The language of pages and mails; null follows the browser. */
      language: ("en" | "de") | null;
      /** @description The last name; null if not set. */
      lastName: string | null;
      /** @description The middle name; null if not set. */
      middleName: string | null;
      /** @description The organizations of the user; for an OAuth client only its own. */
      organizations: components["schemas"]["OrganizationRole"][];
      /** @description The name by which the person wants to be addressed; null if not set. */
      preferredName: string | null;
      /**
       * @description Always `user`.
       * @constant
       */
      type: "user";
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    Customer: {
      /** @description The customer's id in your own system, as your events name it. */
      customerId: string;
      /** @description The email addresses, at most 10. */
      emails: string[];
      /** @description The number of events. */
      eventCount: number;
      /**
       * Format: date-time
       * @description When the first event happened.
       */
      firstEventAt: string;
      /**
       * Format: date-time
       * @description When the last event happened.
       */
      lastEventAt: string;
      /** @description The name; null if no event has one. */
      name: string | null;
      /** @description What is open as of the last event. */
      open: {
        /** @description The number of open orders. */
        orders: number;
        /** @description The number of due payments. */
        payments: number;
        /** @description The number of running subscriptions. */
        subscriptions: number;
        /** @description The number of open tickets. */
        tickets: number;
      };
      /** @description The phone numbers in E.164, at most 10. */
      phones: string[];
      /** @description The story in one line; null while it is being composed. */
      title: string | null;
    };
    CustomerMergeInput: {
      /** @description The id of the other customer. */
      customerId: string & (string);
    };
    CustomerPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Customer"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    DeadLetter: {
      /** @description How often the delivery was tried. */
      attempts: number;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description What the last attempt was answered; null if unknown. */
      error: string | null;
      /**
       * Format: date-time
       * @description When the delivery was given up.
       */
      failedAt: string;
      /** @description The kind of the last failure; null if unknown. */
      failure: string | null;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The id of the organization (`org_…`). */
      orgId: string;
    };
    DeadLetterPage: {
      /** @description The items of this page. */
      data: components["schemas"]["DeadLetter"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Entitlements: {
      /** @description The inbox and the chat widget. */
      connect: {
        /** @description The members who can be agents. */
        agentSeats: number;
        /** @description The channels that can be used. */
        channels: string[];
        /**
         * @description The plan includes it.
         * @constant
         */
        enabled: true;
      } | {
        /**
         * @description The plan does not include it.
         * @constant
         */
        enabled: false;
      };
      /** @description The service content. */
      content: {
        /**
         * @description The plan includes it.
         * @constant
         */
        enabled: true;
      } | {
        /**
         * @description The plan does not include it.
         * @constant
         */
        enabled: false;
      };
      /** @description Events and stories. */
      context: {
        /** @description The days for which events are kept. */
        contextRetentionDays: number;
        /**
         * @description The plan includes it.
         * @constant
         */
        enabled: true;
        /** @description The events that are accepted per day in UTC. */
        eventsPerDay: number;
      } | {
        /**
         * @description The plan does not include it.
         * @constant
         */
        enabled: false;
      };
      /** @description Recommendations. */
      intelligence: {
        /**
         * @description The plan includes it.
         * @constant
         */
        enabled: true;
        /** @description The recommendations per day in UTC. */
        recommendationsPerDay: number;
      } | {
        /**
         * @description The plan does not include it.
         * @constant
         */
        enabled: false;
      };
      /** @description Mail. */
      mail: {
        /**
         * @description The plan includes it.
         * @constant
         */
        enabled: true;
        /** @description The messages that can be sent per calendar month in UTC. */
        sendsPerMonth: number;
      } | {
        /**
         * @description The plan does not include it.
         * @constant
         */
        enabled: false;
      };
      /** @description Notifications. */
      notification: {
        /**
         * @description The plan includes it.
         * @constant
         */
        enabled: true;
        /** @description The messages that can be sent per calendar month in UTC. */
        sendsPerMonth: number;
      } | {
        /**
         * @description The plan does not include it.
         * @constant
         */
        enabled: false;
      };
      /** @description The service pulse. */
      pulse: {
        /**
         * @description The plan includes it.
         * @constant
         */
        enabled: true;
      } | {
        /**
         * @description The plan does not include it.
         * @constant
         */
        enabled: false;
      };
      /** @description Stored objects. */
      storage: {
        /** @description The gigabytes that can be delivered per calendar month in UTC. */
        bandwidthGbPerMonth: number;
        /**
         * @description The plan includes it.
         * @constant
         */
        enabled: true;
        /** @description The gigabytes that can be stored (1,000,000,000 bytes each). */
        storageGb: number;
      } | {
        /**
         * @description The plan does not include it.
         * @constant
         */
        enabled: false;
      };
    };
    /** @description The answer to a request that was refused or failed. */
    Error: {
      /** @description The invalid fields, with INPUT_INVALID and where a request names something that does not exist. */
      details?: components["schemas"]["ErrorDetail"][];
      /**
       * @description The code of the error, for programs. It never changes its meaning.
       * @enum {string}
       */
      error: "INPUT_INVALID" | "REQUEST_MALFORMED" | "JSON_MALFORMED" | "PATH_INVALID" | "CURSOR_INVALID" | "WEBHOOK_INVALID" | "TENANT_REQUIRED" | "TENANT_INVALID" | "SIGNATURE_INVALID" | "CREDENTIAL_REQUIRED" | "CREDENTIAL_INVALID" | "IDENTITY_INVALID" | "PAYMENT_REQUIRED" | "PLAN_LIMIT_EXCEEDED" | "SERVICE_NOT_INCLUDED" | "PERMISSION_DENIED" | "TENANT_MISMATCH" | "USER_REQUIRED" | "SESSION_REQUIRED" | "ORIGIN_REFUSED" | "AGENT_REQUIRED" | "ORGANIZATION_SUSPENDED" | "SESSION_TOO_OLD" | "EMAIL_DOMAIN_NOT_ALLOWED" | "SITE_DISABLED" | "VISITOR_BLOCKED" | "OWNER_REQUIRED" | "SCOPE_NOT_HELD" | "ROLE_READ_ONLY" | "REGISTRATION_CLOSED" | "NOT_FOUND" | "ROUTE_NOT_FOUND" | "STORY_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "EVENT_ALREADY_SENT" | "SLUG_TAKEN" | "BUCKET_NAME_TAKEN" | "SIGNATURE_USED" | "LAST_OWNER" | "OWN_MEMBERSHIP" | "ALREADY_MEMBER" | "INVITATION_PENDING" | "INVITATION_NOT_OPEN" | "CONTACT_EXISTS" | "CONTACT_IS_LOGIN" | "EMAIL_TAKEN" | "LIMIT_REACHED" | "PLAN_IS_CURRENT" | "PLAN_IS_FREE" | "MESSAGE_NOT_RESENDABLE" | "JOB_RUNNING" | "CONFLICT" | "IDEMPOTENCY_MISMATCH" | "IDEMPOTENCY_IN_PROGRESS" | "PRECONDITION_FAILED" | "BODY_TOO_LARGE" | "CONTENT_TYPE_UNSUPPORTED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "REVISION_NOT_REACHED" | "UNAVAILABLE" | "MAIL_DISABLED" | "PAYMENTS_DISABLED" | "STORE_FULL";
      /** @description The error as a sentence, for people. Its words may change. */
      message: string;
      /** @description The limit that was reached, with errors of the plan. */
      quota?: components["schemas"]["ErrorQuota"];
      /** @description The id of the request, by which the operator finds it in the log. */
      requestId: string;
      /**
       * Format: uri
       * @description The page on which the plan can be changed, with errors of the plan.
       */
      upgradeUrl?: string;
    };
    ErrorDetail: {
      /** @description The rule that the value violates. */
      message: string;
      /** @description The field, such as `body.email` or `query.limit`. */
      path: string;
    };
    ErrorQuota: {
      /** @description The limit of the plan, in the unit of the meter. */
      limit: number;
      /** @description The kind of use that is counted. */
      meter: string;
      /**
       * Format: date-time
       * @description When the use begins at zero again; null for one that does not.
       */
      resetsAt: string | null;
      /** @description The present use, in the unit of the meter. */
      used: number;
    };
    Event: {
      /** @description The one who acted. */
      actor: {
        /** @description The id of the actor in your own system. */
        id: string;
        /** @description The kind of the actor, such as `customer`. */
        type: string;
      };
      /** @description The customer whose story shows the event; null if it is in no story. */
      customerId: string | null;
      /** @description The UUID of the event, unique in the organization. */
      eventId: string;
      /** @description The name of the event: 2 to 6 dotted parts, such as `order.placed`. */
      eventName: string;
      /** @description When it happened: ISO 8601 in UTC with milliseconds. */
      occurredAt: string;
      /** @description The content of the event: at most 5,000 keys and 256 KiB. */
      payload: {
        [key: string]: unknown;
      };
      /** @description When the platform accepted the event. */
      receivedAt: string;
      /** @description The version of the event format, such as `1.0`. */
      schemaVersion: string;
      /** @description Where the event comes from. */
      source: {
        /** @description The channel of the source, such as `web`. */
        channel: string;
        /** @description The system that sends the event, such as `shop`. */
        system: string;
      };
      /** @description The id of the organization (`org_…`). */
      tenantId: string;
      /** @description Whether stories interpret the name of the event. */
      understood: boolean;
    };
    EventBatchInput: {
      /** @description The events, each as in `POST /events`. One that is not valid is rejected alone. */
      events: unknown[];
    };
    EventBatchResult: {
      /** @description The results, in the order of the events. */
      results: components["schemas"]["EventResult"][];
    };
    EventInput: {
      /** @description The one who acted. */
      actor: {
        /** @description The id of the actor in your own system. */
        id: string;
        /** @description The kind of the actor. A `customer`, `contact`, `visitor` or `user` is the customer of the event. */
        type: string;
      };
      /**
       * Format: uuid
       * @description The UUID of the event, unique in the organization.
       */
      eventId: string;
      /** @description The name of the event: 2 to 6 dotted parts, such as `order.placed`. */
      eventName: string;
      /**
       * Format: date-time
       * @description When it happened: ISO 8601 with an offset, from 1970 to at most 5 minutes in the future.
       */
      occurredAt: string;
      /** @description The content of the event: at most 5,000 keys and 256 KiB. */
      payload: {
        [key: string]: unknown;
      };
      /** @description The version of the event format, such as `1.0`. */
      schemaVersion: string;
      /** @description Where the event comes from. */
      source: {
        /** @description The channel of the source, such as `web`. */
        channel: string;
        /** @description The system that sends the event, such as `shop`. */
        system: string;
      };
      /** @description The id of the organization (`org_…`). */
      tenantId: string;
    };
    EventPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Event"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    EventResult: {
      /** @description The customer whose story shows the event; null if it is in no story. */
      customerId?: string | null;
      /** @description The error code, unless it was accepted. */
      error?: string;
      /** @description The `eventId` of the event; null if it carried no usable one. */
      eventId: string | null;
      /** @description The reason as a sentence, unless it was accepted. */
      message?: string;
      /**
       * @description `accepted`: stored durably. `duplicate`: an event with this id was accepted before. `rejected`: not stored.
       * @enum {string}
       */
      status: "accepted" | "duplicate" | "rejected";
      /** @description Whether stories interpret the name of the event. */
      understood?: boolean;
      /** @description With an error of the plan: where to change the plan. */
      upgradeUrl?: string;
    };
    ExpiryRule: {
      /** @description The days after the upload. */
      days: number;
      /** @description The beginning of the keys that expire; empty for all. */
      prefix: string;
    };
    ExpiryRuleInput: {
      /** @description The days after the upload. */
      days: number;
      /**
       * @description The beginning of the keys that expire; empty for all.
       * @default
       */
      prefix?: string;
    };
    FailedRequest: {
      /**
       * Format: date-time
       * @description When it was answered.
       */
      answeredAt: string;
      /** @description Who sent it. */
      caller: {
        /** @description The id of the API key, OAuth client or session; null for a website. */
        credentialId: string | null;
        /** @description The id of the application, user or website. */
        id: string;
        /**
         * @description `website`: a visitor in the chat widget of a website.
         * @enum {string}
         */
        type: "application" | "user" | "website";
      };
      /** @description The invalid fields, as far as they and the message fit into 2 KiB. */
      details: components["schemas"]["FailedRequestDetail"][];
      /** @description The error code. */
      error: string;
      /** @description The id of the record (`frq_…`). */
      id: string;
      /** @description The message of the answer. */
      message: string;
      /** @description The HTTP method. */
      method: string;
      /** @description The time from the first byte of the request to the last of its answer. */
      milliseconds: number;
      /** @description The number of failed requests after this one, in the same minute, that are not listed. */
      omitted: number;
      /** @description The path, without its query and without tokens. At most 500 characters. */
      path: string;
      /** @description The id that the answer had as `X-Request-Id`. A client that chooses it may repeat it. */
      requestId: string;
      /** @description The pattern of the path, such as `/v1/story/customers/:customerId`. */
      route: string;
      /** @description The HTTP status of the answer. */
      status: number;
      /** @description The User-Agent header of the request; null if there was none. */
      userAgent: string | null;
    };
    FailedRequestDetail: {
      /** @description The rule that the value violates. */
      message: string;
      /** @description The field, such as `body.name`. */
      path: string;
    };
    FailedRequestPage: {
      /** @description The items of this page. */
      data: components["schemas"]["FailedRequest"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    GivenPlanInput: {
      /**
       * @description The name of the plan.
       * @enum {string}
       */
      plan: "free" | "pro" | "scale";
    };
    GrantedScopes: {
      /** @description The id of the OAuth client (`cli_…`). */
      clientId: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description What the credential may do: permission keys, or the groups `svc:read`, `svc:write` and `svc:admin`. */
      scopes: string[];
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    HeldPermission: {
      /** @description The permission key. */
      key: string;
    };
    HeldPermissionPage: {
      /** @description The items of this page. */
      data: components["schemas"]["HeldPermission"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Invitation: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The invited address. */
      email: string;
      /**
       * Format: date-time
       * @description When it expires: ISO 8601 in UTC with milliseconds.
       */
      expiresAt: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The user or application that sent it. */
      invitedBy: {
        /** @description The id of the user or application. */
        id: string;
        /**
         * @description Whether a user or an application sent it.
         * @enum {string}
         */
        type: "user" | "application";
      };
      /**
       * @description The role that the person gets.
       * @enum {string}
       */
      role: "owner" | "admin" | "member";
      /**
       * @description `pending` is open; `expired` can be mailed again.
       * @enum {string}
       */
      status: "pending" | "accepted" | "revoked" | "expired";
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    InvitationInput: {
      /**
       * Format: idn-email
       * @description The address to which the link is mailed.
       */
      email: string;
      /**
       * @description The role that the person gets. It must not be above your own.
       * @enum {string}
       */
      role: "owner" | "admin" | "member";
    };
    InvitationPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Invitation"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Invoice: {
      /** @description The amount in the minor unit of the currency (cents), tax included. */
      amount: number;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The currency: a code of ISO 4217 in lower case. */
      currency: string;
      /** @description When it has to be paid; null without a due date. */
      dueAt: string | null;
      /** @description The id of the invoice (`ivc_…`). */
      invoiceId: string;
      /** @description When it was issued; null for a draft. */
      issuedAt: string | null;
      /** @description The number that is printed on the invoice; null for a draft. */
      number: string | null;
      /** @description When it was paid; null until then. */
      paidAt: string | null;
      /**
       * Format: uri
       * @description The address of the invoice as PDF, which needs no credential for one hour.
       */
      pdfUrl: string;
      /**
       * @description `open` waits for payment; `void` was cancelled; `uncollectible` was given up.
       * @enum {string}
       */
      status: "draft" | "open" | "paid" | "void" | "uncollectible";
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    InvoicePage: {
      /** @description The invoices of this page. */
      invoices: components["schemas"]["Invoice"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Liveness: {
      /**
       * @description Always `alive`: the process answers.
       * @constant
       */
      status: "alive";
    };
    LoginEmailInput: {
      /** @description The id of a confirmed contact of type `email` (`con_…`). */
      contactId: string;
      /** @description The present password. */
      currentPassword: string;
    };
    LookingInput: {
      /** @description Whether the agent has the conversation open. */
      looking: boolean;
    };
    MailAttachmentInput: {
      /** @description The name of the bucket. */
      bucket: string;
      /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
      key: string;
    };
    MailEvent: {
      /**
       * Format: date-time
       * @description When it happened: ISO 8601 in UTC with milliseconds.
       */
      at: string;
      /** @description The reason of a failure; null if none. */
      detail: string | null;
      /**
       * @description What happened.
       * @enum {string}
       */
      type: "queued" | "sent" | "bounced" | "complained" | "failed" | "suppressed";
    };
    MailInput: {
      /**
       * @description Objects of the organization to attach: at most 10, and 10 MiB in total.
       * @default []
       */
      attachments?: components["schemas"]["MailAttachmentInput"][];
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale?: string;
      /**
       * Format: idn-email
       * @description The address for answers; null for the sender's.
       */
      replyTo?: string;
      /** @description The id of the template (`tpl_…`). */
      templateId: string;
      /**
       * Format: idn-email
       * @description The address of the recipient.
       */
      to: string;
      /**
       * @description The values of the variables by name.
       * @default {}
       */
      variables?: {
        [key: string]: string;
      };
    };
    MailMessage: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale: string | null;
      /** @description The id of the mail (`msg_…`). */
      messageId: string;
      /** @description When it was sent: ISO 8601 in UTC with milliseconds; null until then. */
      sentAt: string | null;
      /**
       * @description The present status. `suppressed`: nothing was sent, because the address is suppressed.
       * @enum {string}
       */
      status: "queued" | "sending" | "sent" | "bounced" | "failed" | "suppressed";
      /** @description The subject as it was sent; null until it is rendered. */
      subject: string | null;
      /** @description The id of the template (`tpl_…`). */
      templateId: string | null;
      /** @description The version of the template; null without a template. */
      templateVersion: number | null;
      /** @description The address of the recipient. */
      to: string;
    };
    MailMessageDetails: {
      /** @description The number of attempts to send it. */
      attempts: number;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description What happened to the mail, the oldest first. */
      events: components["schemas"]["MailEvent"][];
      /** @description The sender. */
      from: {
        /** @description The address of the sender. */
        address: string;
        /** @description The name that people see. */
        name: string;
      };
      /** @description Whether it can be sent again: it failed, and its content is still stored. */
      isResendable: boolean;
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale: string | null;
      /** @description The id of the mail (`msg_…`). */
      messageId: string;
      /** @description When the next attempt is due; null unless one failed before. */
      nextAttemptAt: string | null;
      /** @description The notification that the mail carries; null for other mail. */
      notificationId: string | null;
      /** @description The address for answers; null for the sender's. */
      replyTo: string | null;
      /** @description The message by which it was sent again last; null if none. */
      resentAs: string | null;
      /** @description The failed message that this one repeats; null if none. */
      resentFrom: string | null;
      /** @description When it was sent: ISO 8601 in UTC with milliseconds; null until then. */
      sentAt: string | null;
      /**
       * @description The present status. `suppressed`: nothing was sent, because the address is suppressed.
       * @enum {string}
       */
      status: "queued" | "sending" | "sent" | "bounced" | "failed" | "suppressed";
      /** @description The subject as it was sent; null until it is rendered. */
      subject: string | null;
      /** @description The id of the template (`tpl_…`). */
      templateId: string | null;
      /** @description The version of the template; null without a template. */
      templateVersion: number | null;
      /** @description The address of the recipient. */
      to: string;
    };
    MailMessagePage: {
      /** @description The items of this page. */
      data: components["schemas"]["MailMessage"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    MailSettings: {
      /** @description The address of the sender. */
      from: string;
      /** @description The name of the sender. */
      fromName: string;
      /** @description The address for answers; null for the one of the sender. */
      replyTo: string | null;
    };
    MailSettingsInput: {
      /** @description The address of the sender; null for the platform's address. */
      from?: string | null;
      /**
       * @description The name of the sender; null for the name of the organization.
       * @default null
       */
      fromName?: (string & (string)) | null;
      /** @description The address for answers; null for the one of the sender. */
      replyTo?: string | null;
    };
    MailTemplate: {
      /**
       * @description Marketing messages respect unsubscriptions; transactional ones do not.
       * @enum {string}
       */
      category: "transactional" | "marketing";
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The HTML content. */
      html?: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The number of the latest version. */
      latestVersion: number;
      /** @description The version that new messages use; null before the first is published. */
      liveVersion: number | null;
      /** @description The contents for other languages by language tag. */
      locales: {
        [key: string]: {
          /** @description The HTML content. */
          html?: string;
          /** @description The content in MJML, which is compiled to HTML. Not together with `html`. */
          mjml?: string;
          /** @description The subject. */
          subject?: string & (string);
          /** @description The text. */
          text?: string;
        };
      };
      /** @description The content in MJML, which is compiled to HTML. Not together with `html`. */
      mjml?: string;
      /** @description The name that people see. */
      name: string;
      /** @description The subject. */
      subject?: string & (string);
      /** @description The text. */
      text?: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description The variables of the template. */
      variables: components["schemas"]["TemplateVariable"][];
      /** @description The number of the version whose content this is. */
      version: number;
    };
    MailTemplateDraftInput: {
      /** @description The HTML content. */
      html?: string | null;
      /** @description The content in MJML, which is compiled to HTML. Not together with `html`. */
      mjml?: string | null;
      /** @description The subject. */
      subject?: string & (string);
      /** @description The text. */
      text?: string | null;
      /** @description The variables of the template. */
      variables?: components["schemas"]["TemplateVariableInput"][];
    };
    MailTemplateInput: {
      /**
       * @description Marketing messages respect unsubscriptions; transactional ones do not.
       * @enum {string}
       */
      category?: "transactional" | "marketing";
      /** @description The HTML content. */
      html?: string;
      /** @description Contents for other languages by language tag. */
      locales?: {
        [key: string]: {
          /** @description The HTML content. */
          html?: string;
          /** @description The content in MJML, which is compiled to HTML. Not together with `html`. */
          mjml?: string;
          /** @description The subject. */
          subject: string & (string);
          /** @description The text. */
          text?: string;
        };
      };
      /** @description The content in MJML, which is compiled to HTML. Not together with `html`. */
      mjml?: string;
      /** @description The name that people see. */
      name?: string;
      /**
       * @description Whether the new version is published immediately.
       * @default true
       */
      publish?: boolean;
      /**
       * @description The name of a ready-made template.
       * @enum {string}
       */
      starter?: "welcome" | "receipt" | "password-notice" | "invitation" | "shipping-notice" | "newsletter";
      /** @description The subject. */
      subject?: string & (string);
      /** @description The text. */
      text?: string;
      /** @description The variables of the template. */
      variables?: components["schemas"]["TemplateVariableInput"][];
    };
    MailTemplatePreview: {
      /** @description The HTML content. */
      html?: string;
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale: string | null;
      /** @description The subject. */
      subject?: string;
      /** @description The text. */
      text?: string;
      /** @description The number of the version. */
      version: number;
    };
    MailTemplatePreviewInput: {
      /** @description Parts to show in place of the stored ones. Nothing is stored. */
      draft?: components["schemas"]["MailTemplateDraftInput"];
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale?: string;
      /** @description The values of the variables by name. */
      variables?: {
        [key: string]: string;
      };
      /** @description The number of the version; by default the latest one. */
      version?: number;
      /** @description Whether the samples of optional variables are omitted. */
      withoutOptional?: boolean;
    };
    MailTemplateStarter: {
      /**
       * @description Marketing messages respect unsubscriptions; transactional ones do not.
       * @enum {string}
       */
      category: "transactional" | "marketing";
      /** @description The parts of the template. */
      content: {
        /** @description The HTML content. */
        html?: string;
        /** @description The content in MJML, which is compiled to HTML. Not together with `html`. */
        mjml?: string;
        /** @description The subject. */
        subject: string & (string);
        /** @description The text. */
        text?: string;
      };
      /** @description A text for people. It may have several lines, or be empty. */
      description: string;
      /** @description The name that people see. */
      name: string;
      /** @description The name of a ready-made template. */
      starter: string;
      /** @description The variables of the template. */
      variables: components["schemas"]["TemplateVariable"][];
    };
    MailTemplateStarterPage: {
      /** @description The items of this page. */
      data: components["schemas"]["MailTemplateStarter"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    MailTemplateTestInput: {
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale?: string;
      /**
       * Format: idn-email
       * @description The address to which the test is sent.
       */
      to: string;
      /** @description The values of the variables by name. */
      variables?: {
        [key: string]: string;
      };
      /** @description The version; by default the latest one. */
      version?: number;
    };
    MailTemplateUpdateInput: {
      /**
       * @description Marketing messages respect unsubscriptions; transactional ones do not.
       * @enum {string}
       */
      category?: "transactional" | "marketing";
      /** @description The HTML content. */
      html?: string | null;
      /** @description Contents for other languages by language tag. */
      locales?: {
        [key: string]: {
          /** @description The HTML content. */
          html?: string;
          /** @description The content in MJML, which is compiled to HTML. Not together with `html`. */
          mjml?: string;
          /** @description The subject. */
          subject: string & (string);
          /** @description The text. */
          text?: string;
        } | null;
      };
      /** @description The content in MJML, which is compiled to HTML. Not together with `html`. */
      mjml?: string | null;
      /** @description The name that people see. */
      name?: string;
      /**
       * @description Whether the new version is published immediately.
       * @default true
       */
      publish?: boolean;
      /** @description The subject. */
      subject?: string & (string);
      /** @description The text. */
      text?: string | null;
      /** @description The variables of the template. */
      variables?: components["schemas"]["TemplateVariableInput"][];
    };
    Member: {
      /**
       * Format: date-time
       * @description When the member joined.
       */
      createdAt: string;
      /** @description The name that others see; null if not set. */
      displayName: string | null;
      /** @description The address with which the member signs in; null if the account is gone. */
      email: string | null;
      /**
       * @description The built-in role in the organization.
       * @enum {string}
       */
      role: "owner" | "admin" | "member";
      /**
       * Format: date-time
       * @description When the membership was suspended; absent while it is in force.
       */
      suspendedAt?: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description The id of the user (`usr_…`). */
      userId: string;
    };
    MemberPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Member"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Membership: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The name that people see. */
      name: string | null;
      /** @description The id of the organization (`org_…`). */
      orgId: string;
      /**
       * @description The built-in role in the organization.
       * @enum {string}
       */
      role: "owner" | "admin" | "member";
      /** @description The name in addresses: 1 to 63 lower-case letters, digits and dashes. Unique on the platform; it never changes. */
      slug: string | null;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    MemberUpdateInput: {
      /**
       * @description The built-in role in the organization.
       * @enum {string}
       */
      role: "owner" | "admin" | "member";
    };
    Message: {
      /** @description The files of the message. */
      attachments: components["schemas"]["Attachment"][];
      /** @description Who wrote it. */
      author: {
        /** @description The id of the visitor, user or application. */
        id: string;
        /** @description The name; null: the name of the website. */
        name: string | null;
        /**
         * @description The kind of the author.
         * @enum {string}
         */
        type: "visitor" | "agent" | "application" | "notification";
      };
      /** @description The id of the conversation (`conv_…`). */
      conversationId: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The id of the message. */
      messageId: string;
      /** @description The number of the message in the conversation. Numbers begin at 1 and have no gaps. */
      seq: number;
      /** @description The text. */
      text: string;
      /**
       * @description `note`: an internal note, which the visitor never sees.
       * @enum {string}
       */
      type: "message" | "note";
    };
    MessageInput: {
      /** @description The ids of uploaded files, at most 10. */
      attachments?: string[];
      /** @description An id that your client makes for the message. A repetition with it adds nothing. */
      echoId?: string;
      /** @description The text, at most 5,000 characters. Required without attachments. */
      text?: string;
    };
    MessageList: {
      /** @description The number of the last message that an agent has read. */
      agentReadSeq: number;
      /** @description The items of this page. */
      data: components["schemas"]["Message"][];
      /** @description Whether there are more messages: later ones with `after`, otherwise earlier ones. */
      hasMore: boolean;
      /** @description The number of the last message. */
      lastSeq: number;
      /** @description The number of the last message that the visitor has read. */
      visitorReadSeq: number;
    };
    NoteInput: {
      /** @description An id that your client makes for the message. A repetition with it adds nothing. */
      echoId?: string;
      /** @description The text. */
      text: string & (string);
    };
    Notification: {
      /** @description The number of attempts to send it. */
      attempts: number;
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {string}
       */
      channel: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
      /** @description The id of the channel connection (`chn_…`); null before one was chosen. */
      connectionId: string | null;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description Why the last attempt did not succeed; null without a failure. */
      lastError: string | null;
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale: string | null;
      /** @description The id of the notification (`ntf_…`). */
      notificationId: string;
      /** @description The provider that was used; null before the first attempt. */
      provider: ("mailbox" | "webhook" | "telegram" | "whatsapp" | "sms" | "mail" | "web") | null;
      /** @description The id that the provider gave the message; null if none. */
      providerMessageId: string | null;
      /** @description A customer id, whose address on the channel is used, or an address at the provider. */
      recipientId: string;
      /** @description When it was sent: ISO 8601 in UTC with milliseconds; null until then. */
      sentAt: string | null;
      /**
       * @description `queued`: waits for an attempt. `sending`: an attempt is running. `sent` and `failed` are final.
       * @enum {string}
       */
      status: "queued" | "sending" | "sent" | "failed";
      /** @description The id of the template (`tpl_…`). */
      templateId: string | null;
      /** @description The version of the template; null without a template. */
      templateVersion: number | null;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    NotificationDetails: {
      /** @description The number of attempts to send it. */
      attempts: number;
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {string}
       */
      channel: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
      /** @description The id of the channel connection (`chn_…`); null before one was chosen. */
      connectionId: string | null;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description What happened to it, the oldest first. */
      events: components["schemas"]["NotificationEvent"][];
      /** @description Whether it can be sent again: it failed, and its content is still stored. */
      isResendable: boolean;
      /** @description Why the last attempt did not succeed; null without a failure. */
      lastError: string | null;
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale: string | null;
      /** @description When the next attempt is due; null unless one failed before. */
      nextAttemptAt: string | null;
      /** @description The id of the notification (`ntf_…`). */
      notificationId: string;
      /** @description The provider that was used; null before the first attempt. */
      provider: ("mailbox" | "webhook" | "telegram" | "whatsapp" | "sms" | "mail" | "web") | null;
      /** @description The id that the provider gave the message; null if none. */
      providerMessageId: string | null;
      /** @description A customer id, whose address on the channel is used, or an address at the provider. */
      recipientId: string;
      /** @description The message by which it was sent again last; null if none. */
      resentAs: string | null;
      /** @description The failed message that this one repeats; null if none. */
      resentFrom: string | null;
      /** @description When it was sent: ISO 8601 in UTC with milliseconds; null until then. */
      sentAt: string | null;
      /**
       * @description `queued`: waits for an attempt. `sending`: an attempt is running. `sent` and `failed` are final.
       * @enum {string}
       */
      status: "queued" | "sending" | "sent" | "failed";
      /** @description The id of the template (`tpl_…`). */
      templateId: string | null;
      /** @description The version of the template; null without a template. */
      templateVersion: number | null;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    NotificationEvent: {
      /**
       * Format: date-time
       * @description When it happened: ISO 8601 in UTC with milliseconds.
       */
      at: string;
      /** @description The id of the channel connection (`chn_…`); null before one was chosen. */
      connectionId: string | null;
      /** @description The provider that was used; null if none. */
      provider: ("mailbox" | "webhook" | "telegram" | "whatsapp" | "sms" | "mail" | "web") | null;
      /** @description The reason of a failure; null if none. */
      reason: string | null;
      /**
       * @description `rejected`: one connection did not accept it; another one or a later attempt may.
       * @enum {string}
       */
      type: "queued" | "rejected" | "sent" | "failed";
    };
    NotificationInput: {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {string}
       */
      channel: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale?: string;
      /** @description A customer id, whose address on the channel is used, or an address at the provider. */
      recipientId: string;
      /** @description The id of the template (`tpl_…`). */
      templateId: string;
      /**
       * @description The values of the variables by name.
       * @default {}
       */
      variables?: {
        [key: string]: string;
      };
    };
    NotificationPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Notification"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    NotificationTemplate: {
      /**
       * @description Marketing messages respect unsubscriptions; transactional ones do not.
       * @enum {string}
       */
      category: "transactional" | "marketing";
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The HTML content. */
      html?: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The number of the latest version. */
      latestVersion: number;
      /** @description The version that new messages use; null before the first is published. */
      liveVersion: number | null;
      /** @description The contents for other languages by language tag. */
      locales: {
        [key: string]: {
          /** @description The HTML content. */
          html?: string;
          /** @description Options for the providers of channels. */
          options?: {
            /** @description A template that WhatsApp has approved, for messages outside of a conversation. */
            whatsapp?: {
              /** @description The language of the approved template, such as `de` or `en_US`. */
              language: string;
              /** @description The name of the approved template. */
              name: string;
              /**
               * @description The values of its parameters, each a Liquid template.
               * @default []
               */
              parameters: string[];
            };
          };
          /** @description The subject. */
          subject?: string & (string);
          /** @description The text. */
          text?: string;
        };
      };
      /** @description The name that people see. */
      name: string;
      /** @description Options for the providers of channels. */
      options?: {
        /** @description A template that WhatsApp has approved, for messages outside of a conversation. */
        whatsapp?: {
          /** @description The language of the approved template, such as `de` or `en_US`. */
          language: string;
          /** @description The name of the approved template. */
          name: string;
          /**
           * @description The values of its parameters, each a Liquid template.
           * @default []
           */
          parameters: string[];
        };
      };
      /** @description The subject. */
      subject?: string & (string);
      /** @description The text. */
      text?: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description The variables of the template. */
      variables: components["schemas"]["TemplateVariable"][];
      /** @description The number of the version whose content this is. */
      version: number;
    };
    NotificationTemplateDraftInput: {
      /** @description The HTML content. */
      html?: string | null;
      /** @description Options for the providers of channels. */
      options?: {
        /** @description A template that WhatsApp has approved, for messages outside of a conversation. */
        whatsapp?: {
          /** @description The language of the approved template, such as `de` or `en_US`. */
          language: string;
          /** @description The name of the approved template. */
          name: string;
          /**
           * @description The values of its parameters, each a Liquid template.
           * @default []
           */
          parameters?: string[];
        };
      } | null;
      /** @description The subject. */
      subject?: (string & (string)) | null;
      /** @description The text. */
      text?: string;
      /** @description The variables of the template. */
      variables?: components["schemas"]["TemplateVariableInput"][];
    };
    NotificationTemplateInput: {
      /**
       * @description Marketing messages respect unsubscriptions; transactional ones do not.
       * @enum {string}
       */
      category?: "transactional" | "marketing";
      /** @description The HTML content. */
      html?: string;
      /** @description Contents for other languages by language tag. */
      locales?: {
        [key: string]: {
          /** @description The HTML content. */
          html?: string;
          /** @description Options for the providers of channels. */
          options?: {
            /** @description A template that WhatsApp has approved, for messages outside of a conversation. */
            whatsapp?: {
              /** @description The language of the approved template, such as `de` or `en_US`. */
              language: string;
              /** @description The name of the approved template. */
              name: string;
              /**
               * @description The values of its parameters, each a Liquid template.
               * @default []
               */
              parameters?: string[];
            };
          };
          /** @description The subject. */
          subject?: string & (string);
          /** @description The text. */
          text: string;
        };
      };
      /** @description The name that people see. */
      name?: string;
      /** @description Options for the providers of channels. */
      options?: {
        /** @description A template that WhatsApp has approved, for messages outside of a conversation. */
        whatsapp?: {
          /** @description The language of the approved template, such as `de` or `en_US`. */
          language: string;
          /** @description The name of the approved template. */
          name: string;
          /**
           * @description The values of its parameters, each a Liquid template.
           * @default []
           */
          parameters?: string[];
        };
      };
      /**
       * @description Whether the new version is published immediately.
       * @default true
       */
      publish?: boolean;
      /**
       * @description The name of a ready-made template.
       * @enum {string}
       */
      starter?: "order-received" | "order-shipped" | "appointment" | "code";
      /** @description The subject. */
      subject?: string & (string);
      /** @description The text. */
      text?: string;
      /** @description The variables of the template. */
      variables?: components["schemas"]["TemplateVariableInput"][];
    };
    NotificationTemplatePreview: {
      /** @description The HTML content. */
      html?: string;
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale: string | null;
      /** @description Options for the providers of channels. */
      options?: unknown;
      /** @description The subject. */
      subject?: string;
      /** @description The text. */
      text?: string;
      /** @description The number of the version. */
      version: number;
    };
    NotificationTemplatePreviewInput: {
      /** @description Parts to show in place of the stored ones. Nothing is stored. */
      draft?: components["schemas"]["NotificationTemplateDraftInput"];
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale?: string;
      /** @description The values of the variables by name. */
      variables?: {
        [key: string]: string;
      };
      /** @description The number of the version; by default the latest one. */
      version?: number;
      /** @description Whether the samples of optional variables are omitted. */
      withoutOptional?: boolean;
    };
    NotificationTemplateStarter: {
      /**
       * @description Marketing messages respect unsubscriptions; transactional ones do not.
       * @enum {string}
       */
      category: "transactional" | "marketing";
      /** @description The parts of the template. */
      content: {
        /** @description The HTML content. */
        html?: string;
        /** @description Options for the providers of channels. */
        options?: {
          /** @description A template that WhatsApp has approved, for messages outside of a conversation. */
          whatsapp?: {
            /** @description The language of the approved template, such as `de` or `en_US`. */
            language: string;
            /** @description The name of the approved template. */
            name: string;
            /**
             * @description The values of its parameters, each a Liquid template.
             * @default []
             */
            parameters: string[];
          };
        };
        /** @description The subject. */
        subject?: string & (string);
        /** @description The text. */
        text: string;
      };
      /** @description A text for people. It may have several lines, or be empty. */
      description: string;
      /** @description The name that people see. */
      name: string;
      /** @description The name of a ready-made template. */
      starter: string;
      /** @description The variables of the template. */
      variables: components["schemas"]["TemplateVariable"][];
    };
    NotificationTemplateStarterPage: {
      /** @description The items of this page. */
      data: components["schemas"]["NotificationTemplateStarter"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    NotificationTemplateTestInput: {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {string}
       */
      channel: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
      /** @description A language tag, such as `de` or `de-AT`; without one, or null, the default content. */
      locale?: string;
      /** @description A customer id, whose address on the channel is used, or an address at the provider. */
      recipientId: string;
      /** @description The values of the variables by name. */
      variables?: {
        [key: string]: string;
      };
      /** @description The version; by default the latest one. */
      version?: number;
    };
    NotificationTemplateUpdateInput: {
      /**
       * @description Marketing messages respect unsubscriptions; transactional ones do not.
       * @enum {string}
       */
      category?: "transactional" | "marketing";
      /** @description The HTML content. */
      html?: string | null;
      /** @description Contents for other languages by language tag. */
      locales?: {
        [key: string]: {
          /** @description The HTML content. */
          html?: string;
          /** @description Options for the providers of channels. */
          options?: {
            /** @description A template that WhatsApp has approved, for messages outside of a conversation. */
            whatsapp?: {
              /** @description The language of the approved template, such as `de` or `en_US`. */
              language: string;
              /** @description The name of the approved template. */
              name: string;
              /**
               * @description The values of its parameters, each a Liquid template.
               * @default []
               */
              parameters?: string[];
            };
          };
          /** @description The subject. */
          subject?: string & (string);
          /** @description The text. */
          text: string;
        } | null;
      };
      /** @description The name that people see. */
      name?: string;
      /** @description Options for the providers of channels. */
      options?: {
        /** @description A template that WhatsApp has approved, for messages outside of a conversation. */
        whatsapp?: {
          /** @description The language of the approved template, such as `de` or `en_US`. */
          language: string;
          /** @description The name of the approved template. */
          name: string;
          /**
           * @description The values of its parameters, each a Liquid template.
           * @default []
           */
          parameters?: string[];
        };
      } | null;
      /**
       * @description Whether the new version is published immediately.
       * @default true
       */
      publish?: boolean;
      /** @description The subject. */
      subject?: (string & (string)) | null;
      /** @description The text. */
      text?: string;
      /** @description The variables of the template. */
      variables?: components["schemas"]["TemplateVariableInput"][];
    };
    OAuthClient: {
      /** @description The id of the OAuth client (`cli_…`). */
      clientId: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description How the client gets tokens (RFC 6749). */
      grantTypes: ("authorization_code" | "client_credentials" | "refresh_token")[];
      /** @description The addresses to which users may return after they have signed out. */
      postLogoutRedirectUris: string[];
      /** @description When the last of the replaced secrets stops working; null if none works. */
      previousSecretExpiresAt: string | null;
      /** @description The addresses to which users return with a code. An exact match is required. */
      redirectUris: string[];
      /** @description The scopes that the client may ask for. */
      scopes: string[];
      /**
       * @description How the client authenticates at the token endpoint; `none` for a client without a secret.
       * @enum {string}
       */
      tokenEndpointAuthMethod: "client_secret_basic" | "client_secret_post" | "none";
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    OAuthClientInput: {
      /** @description How the client gets tokens (RFC 6749). */
      grantTypes: ("authorization_code" | "client_credentials" | "refresh_token")[];
      /** @description The addresses to which users may return after they have signed out. */
      postLogoutRedirectUris?: string[];
      /** @description The addresses to which users return with a code. An exact match is required. */
      redirectUris?: string[];
      /** @description The scopes that the client may ask for: `openid`, `profile`, `email`, `offline_access`, and permission keys. */
      scopes: string[];
      /**
       * @description How the client authenticates at the token endpoint; `none` for a client without a secret.
       * @default client_secret_basic
       * @enum {string}
       */
      tokenEndpointAuthMethod?: "client_secret_basic" | "client_secret_post" | "none";
    };
    ObjectDeletion: {
      /** @description Whether it was deleted. */
      deleted: boolean;
      /** @description The error code if it was not deleted. */
      error?: string;
      /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
      key: string;
    };
    ObjectDeletionInput: {
      /** @description The name of the bucket. */
      bucket: string;
      /** @description The keys of the objects, at most 1,000. */
      keys: string[];
    };
    ObjectDeletionList: {
      /** @description The outcome for each key. */
      data: components["schemas"]["ObjectDeletion"][];
    };
    ObjectLocationInput: {
      /** @description The name of the bucket. */
      bucket: string;
      /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
      key: string;
    };
    ObjectTransferInput: {
      /** @description The object. */
      from: components["schemas"]["ObjectLocationInput"];
      /** @description Where it is to be. */
      to: components["schemas"]["ObjectLocationInput"];
    };
    ObjectUpdateInput: {
      /** @description Texts of your own by name, which the platform never interprets: at most 50, and 8 KiB in total. */
      metadata?: {
        [key: string]: string;
      };
      /** @description Whether it can be read without a credential. An object is public only in a public bucket. */
      public?: boolean;
    };
    OperatedClient: {
      /** @description The name of its application. */
      application: string;
      /** @description The id of the OAuth client (`cli_…`). */
      clientId: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description Whether its users need not give consent. */
      isFirstParty: boolean;
      /** @description The origins of its redirect URIs. */
      origins: string[];
    };
    OperatedClientInput: {
      /** @description Whether its users need not give consent. */
      isFirstParty: boolean;
    };
    OperatedClientPage: {
      /** @description The items of this page. */
      data: components["schemas"]["OperatedClient"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    OperatedOrganization: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description Whether browsers return to the origins of its OAuth clients without confirmation. */
      isTrusted: boolean;
      /** @description The number of members, suspended ones included. */
      members: number;
      /** @description The name that people see. */
      name: string;
      /** @description The plan by its name; null while billing does not answer. */
      plan: string | null;
      /** @description The name in addresses: 1 to 63 lower-case letters, digits and dashes. Unique on the platform; it never changes. */
      slug: string;
      /** @description The status of the subscription; null while billing does not answer. */
      status: string | null;
      /** @description Since when and why it is suspended; null while it is in force. */
      suspension: components["schemas"]["Suspension"] | null;
    };
    OperatedOrganizationDetails: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description Whether browsers return to the origins of its OAuth clients without confirmation. */
      isTrusted: boolean;
      /** @description The number of members, suspended ones included. */
      members: number;
      /** @description The name that people see. */
      name: string;
      /** @description The owners with the addresses with which they log in. */
      owners: components["schemas"]["OperatedOwner"][];
      /** @description The plan by its name; null while billing does not answer. */
      plan: string | null;
      /** @description The name in addresses: 1 to 63 lower-case letters, digits and dashes. Unique on the platform; it never changes. */
      slug: string;
      /** @description The status of the subscription; null while billing does not answer. */
      status: string | null;
      /** @description Since when and why it is suspended; null while it is in force. */
      suspension: components["schemas"]["Suspension"] | null;
      /** @description The use of the limits of the plan; null while billing does not answer. */
      usage: components["schemas"]["OperatedUsage"][] | null;
    };
    OperatedOrganizationInput: {
      /** @description Whether browsers return to the origins of its OAuth clients without confirmation. */
      isTrusted: boolean;
    };
    OperatedOrganizationPage: {
      /** @description The items of this page. */
      data: components["schemas"]["OperatedOrganization"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    OperatedOwner: {
      /** @description The email address. */
      email: string;
      /** @description The id of the user (`usr_…`). */
      userId: string;
    };
    OperatedUsage: {
      /** @description The limit of the plan; null if the plan does not include it. */
      limit: number | null;
      /** @description The name of the limit in the plans. */
      meter: string;
      /** @description When the use is reset; null if it never is. */
      periodEnd: string | null;
      /** @description The use in the present period, in the unit of the limit. */
      used: number;
    };
    OperatedUser: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The address with which the user logs in. */
      email: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description Whether the user operates the platform. */
      isOperator: boolean;
      /** @description When the user last signed in; null if never. */
      lastLoginAt: string | null;
      /** @description The display name, otherwise first and last name; null without any. */
      name: string | null;
      /** @description The organizations of which the user is a member, suspended memberships included. */
      organizations: components["schemas"]["OrganizationRole"][];
    };
    OperatedUserPage: {
      /** @description The items of this page. */
      data: components["schemas"]["OperatedUser"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Organization: {
      /** @description How its members and its applications’ users recognize it; absent without a brand. */
      brand?: components["schemas"]["Brand"];
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The name that people see. */
      name: string;
      /**
       * @description The role of the user in it; absent for an application.
       * @enum {string}
       */
      role?: "owner" | "admin" | "member";
      /** @description The name in addresses: 1 to 63 lower-case letters, digits and dashes. Unique on the platform; it never changes. */
      slug: string;
      /** @description Set while the operator of the platform has suspended it. */
      suspension?: components["schemas"]["Suspension"];
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    OrganizationDeletion: {
      /**
       * @description No credential works in it any longer; the rest is removed now.
       * @constant
       */
      status: "deleting";
    };
    OrganizationEntitlements: {
      /**
       * Format: date-time
       * @description When the current period ends: ISO 8601 in UTC with milliseconds.
       */
      currentPeriodEnd: string;
      /** @description What the plan includes, by service. */
      entitlements: components["schemas"]["Entitlements"];
      /** @description The id of the organization (`org_…`). */
      orgId: string;
      /**
       * @description The name of the plan.
       * @enum {string}
       */
      plan: "free" | "pro" | "scale";
      /** @description The limits that further services declare, such as `services.hello.greetingsPerDay`; absent without any. */
      services?: {
        [key: string]: {
          [key: string]: number | null;
        };
      };
      /**
       * @description The status of the subscription.
       * @enum {string}
       */
      status: "active" | "trialing" | "past_due" | "incomplete" | "canceled" | "expired";
    };
    OrganizationInput: {
      /** @description The name that people see. */
      name: string & (string);
      /** @description The name in addresses: 1 to 63 lower-case letters, digits and dashes. Unique on the platform; it never changes. */
      slug: string;
    };
    OrganizationPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Organization"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    OrganizationRole: {
      /** @description How its members and its applications’ users recognize it; absent without a brand. */
      brand?: components["schemas"]["Brand"];
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The name that people see. */
      name: string;
      /**
       * @description The built-in role in the organization.
       * @enum {string}
       */
      role: "owner" | "admin" | "member";
      /** @description The name in addresses: 1 to 63 lower-case letters, digits and dashes. Unique on the platform; it never changes. */
      slug: string;
      /** @description Set while the operator of the platform has suspended it. */
      suspension?: components["schemas"]["Suspension"];
    };
    OrganizationSecurity: {
      /** @description Domains of email addresses, in ASCII. Subdomains are listed separately. Empty: every domain. */
      allowedEmailDomains: string[];
      /** @description The number of hours after a login for which a member acts in the organization; null: as long as the session lasts. */
      maxSessionHours: number | null;
    };
    OrganizationSecurityInput: {
      /** @description Domains of email addresses, in ASCII. Subdomains are listed separately. Empty: every domain. Letters of other scripts are converted, and duplicates are removed. */
      allowedEmailDomains?: string[];
      /** @description The number of hours after a login for which a member acts in the organization; null: as long as the session lasts. At most 2160. */
      maxSessionHours?: number | null;
    };
    OrganizationUpdateInput: {
      /** @description The brand. */
      brand?: components["schemas"]["BrandInput"];
      /** @description The name that people see. */
      name?: string & (string);
    };
    OwnAuditRecord: {
      /** @description What was done, such as `api-key.created`. */
      action: string;
      /** @description Who did it. */
      actor: {
        /** @description The id of the session, API key or OAuth client; null for others. */
        credentialId: string | null;
        /** @description The id of the user or application; null for others. */
        id: string | null;
        /**
         * @description `operator`: a user of the platform’s own staff. `system`: the platform itself. `anonymous`: a request without a credential.
         * @enum {string}
         */
        type: "user" | "application" | "operator" | "system" | "anonymous";
      };
      /** @description The IP address of the request; null without one, and for operators. */
      address: string | null;
      /** @description The values after; null if none are recorded. */
      after: {
        [key: string]: unknown;
      } | null;
      /** @description The values before; null if none are recorded. */
      before: {
        [key: string]: unknown;
      } | null;
      /** @description In a record that counts requests without a credential: how many there were within the hour. */
      count?: number;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The id of the record (`aud_…`). */
      id: string;
      /**
       * Format: date-time
       * @description In a record that counts requests without a credential: when the last one was.
       */
      lastAt?: string;
      /** @description The id of the organization whose log has the record, or `platform`. */
      log: string;
      /** @description The id of the request; null without a request. */
      requestId: string | null;
      /** @description What it was done to. */
      target: {
        /** @description The id of the resource. */
        id: string;
        /** @description The kind of the resource, such as `api-key`. */
        type: string;
      };
      /** @description The program of the request; null without one, and for operators. */
      userAgent: string | null;
    };
    PasswordInput: {
      /** @description The present password. */
      currentPassword: string;
      /** @description 8 to 256 characters; not one of the common passwords, nor the email address. */
      newPassword: string;
    };
    Permission: {
      /** @description When it was registered; null for a built-in permission. */
      createdAt: string | null;
      /** @description A text for people. It may have several lines, or be empty. */
      description: string;
      /** @description Whether it is built in and cannot be changed. */
      isSystem: boolean;
      /** @description The permission key. */
      key: string;
      /** @description The first part of permission keys, such as `shop`. */
      namespace: string;
      /** @description When its description was last changed; null for a built-in permission. */
      updatedAt: string | null;
    };
    PermissionHolder: {
      /** @description The id of the user (`usr_…`). */
      userId: string;
    };
    PermissionHolderPage: {
      /** @description The items of this page. */
      data: components["schemas"]["PermissionHolder"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    PermissionInput: {
      /** @description What the permission allows, for people; if omitted, the present text stays. */
      description?: string;
      /** @description The permission key: the namespace and up to three more parts, such as `shop.orders.read`. */
      key: string;
    };
    PermissionPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Permission"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    PermissionRegistrationInput: {
      /** @description The first part of permission keys, such as `shop`. */
      namespace: string;
      /** @description The permissions to register. The last entry of a key counts. */
      permissions: components["schemas"]["PermissionInput"][];
    };
    Plan: {
      /** @description A text for people. It may have several lines, or be empty. */
      description: string;
      /** @description What the plan includes, by service. */
      entitlements: components["schemas"]["Entitlements"];
      /** @description The maximum number of each resource in an organization. */
      limits: components["schemas"]["PlanLimits"];
      /** @description The name that people see. */
      name: string;
      /**
       * @description The name of the plan.
       * @enum {string}
       */
      plan: "free" | "pro" | "scale";
      /** @description The prices by cycle and currency. */
      prices: components["schemas"]["PlanPrice"][];
      /** @description The limits that further services declare, such as `services.hello.greetingsPerDay`; absent without any. */
      services?: {
        [key: string]: {
          [key: string]: number | null;
        };
      };
      /**
       * @description Always `inclusive`: the prices contain tax.
       * @constant
       */
      taxBehavior: "inclusive";
      /** @description The version of the plan. A sold version keeps its prices and limits, or gets better ones. */
      version: number;
    };
    PlanLimits: {
      /** @description The maximum number of API keys. */
      apiKeys: number;
      /** @description The maximum number of applications. */
      applications: number;
      /** @description The maximum number of role assignments. */
      assignments: number;
      /** @description The maximum number of days of the audit log. */
      auditDays: number;
      /** @description The maximum number of blocked visitors, customers and addresses. */
      blocks: number;
      /** @description The maximum number of bucket names, including deleted buckets. */
      bucketNames: number;
      /** @description The maximum number of buckets. */
      buckets: number;
      /** @description The maximum number of channel connections. */
      channels: number;
      /** @description The maximum number of MB of image variants. */
      imageVariantMegabytes: number;
      /** @description The maximum number of mail templates. */
      mailTemplates: number;
      /** @description The maximum number of members. */
      members: number;
      /** @description The maximum number of notification templates. */
      notificationTemplates: number;
      /** @description The maximum number of OAuth clients. */
      oauthClients: number;
      /** @description The maximum number of objects. */
      objects: number;
      /** @description The maximum number of permissions. */
      permissions: number;
      /** @description The maximum number of roles. */
      roles: number;
      /** @description The maximum number of websites. */
      sites: number;
      /** @description The maximum number of suppressed addresses. */
      suppressions: number;
    };
    PlanPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Plan"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    PlanPrice: {
      /** @description The amount in the minor unit of the currency (cents), tax included. */
      amount: number;
      /**
       * @description How often the plan is paid.
       * @enum {string}
       */
      billingCycle: "monthly" | "yearly";
      /**
       * @description The currency: a code of ISO 4217 in lower case.
       * @enum {string}
       */
      currency: "eur" | "usd";
    };
    PlatformBackup: {
      /** @description The size of the database in bytes. */
      bytes: number;
      /** @description The path of the database; its objects are at the same path with `.objects`. */
      file: string;
      /** @description Whether the file is still at its path on this node. */
      isPresent: boolean;
      /** @description The number of files of objects in it. */
      objects: number;
      /**
       * Format: date-time
       * @description When the backup was complete.
       */
      savedAt: string;
    };
    PlatformBackups: {
      /** @description The items of this page. */
      data: components["schemas"]["PlatformBackup"][];
      /** @description Whether the platform runs its embedded database, which the command backs up. */
      isEmbedded: boolean;
    };
    PlatformJob: {
      /** @description How often the work of the present period failed. */
      attempts: number;
      /** @description When that work ended; null if never. */
      doneAt: string | null;
      /** @description The beginning of the last period whose work is done; null if never. */
      doneUpTo: string | null;
      /** @description Why it failed the last time; null if it did not. */
      lastError: string | null;
      /** @description The name of the job. */
      name: string;
      /** @description When the next period begins; null when one is due now. */
      next: string | null;
      /** @description The node that does the work now; null if none does. */
      runningOn: string | null;
    };
    PlatformJobRun: {
      /** @description The name of the job. */
      name: string;
      /**
       * @description A node runs it now. The list of jobs has its end.
       * @constant
       */
      status: "requested";
    };
    PlatformJobs: {
      /** @description The items of this page. */
      data: components["schemas"]["PlatformJob"][];
      /** @description The names of nodes that did not answer. */
      silent: string[];
    };
    PlatformNode: {
      /** @description Whether the node answered; without an answer only its services are known. */
      isAnswering: boolean;
      /** @description What the node waits for, such as `database`; empty when it is ready. */
      missing: string[];
      /** @description The name of the node. */
      node: string;
      /** @description The memory of its process in MiB; null without an answer. */
      residentMiB: number | null;
      /** @description The version of its runtime; null without an answer. */
      runtime: string | null;
      /** @description The services that it runs. */
      services: components["schemas"]["PlatformNodeService"][];
      /** @description How long its process runs; null without an answer. */
      uptimeSeconds: number | null;
    };
    PlatformNodes: {
      /** @description The items of this page. */
      data: components["schemas"]["PlatformNode"][];
    };
    PlatformNodeService: {
      /** @description The name that people see. */
      name: string;
      /** @description The version of its code. */
      version: string | null;
    };
    PostmarkWebhookInput: {
      /** @description The reason in words of Postmark. */
      Description?: string;
      /** @description The answer of the mail server. */
      Details?: string;
      /** @description The address of the recipient. */
      Email?: string;
      /** @description The metadata of the mail; `message-id` names it. */
      Metadata?: {
        [key: string]: string;
      };
      /** @description `Bounce` or `SpamComplaint`; other records are ignored. */
      RecordType: string;
      /** @description The kind of bounce. */
      Type?: string;
    };
    PresignedDownloadInput: {
      /** @description The name of the bucket. */
      bucket: string;
      /**
       * @description For how many seconds the address is valid, at most an hour.
       * @default 900
       */
      expiresIn?: number;
      /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
      key: string;
    };
    PresignedUpload: {
      /**
       * Format: date-time
       * @description When it expires: ISO 8601 in UTC with milliseconds.
       */
      expiresAt: string;
      /** @description The headers to send with the upload. */
      headers: {
        [key: string]: string;
      };
      /**
       * @description The method of the upload.
       * @constant
       */
      method: "PUT";
      /** @description The public address of the object, which works while it is public. */
      objectUrl: string;
      /** @description The address to which the file is PUT. */
      uploadUrl: string;
    };
    PresignedUploadInput: {
      /** @description The name of the bucket; by default the organization's own. */
      bucket?: string;
      /**
       * @description For how many seconds the address is valid, at most an hour.
       * @default 900
       */
      expiresIn?: number;
      /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
      key: string;
      /** @description The media type, such as `image/png`. */
      mimeType: string;
      /** @description Whether it can be read without a credential. An object is public only in a public bucket. */
      public?: boolean;
      /** @description The exact size of the file in bytes; without it any size that the bucket accepts. */
      size?: number;
    };
    ProfileInput: {
      /** @description The http or https address of a picture; null if not set. */
      avatarUrl?: string | null;
      /** @description The date of birth as `YYYY-MM-DD`, from 1900-01-01 to today; null if not set. */
      birthDate?: string | null;
      /** @description The name that others see; null if not set. */
      displayName?: (string & (string)) | null;
      /** @description The first name; null if not set. */
      firstName?: (string & (string)) | null;
      /** @description The gender in the words of the person; null if not set. */
      gender?: (string & (string)) | null;
      /** @description The language of pages and mails; null follows the browser. */
      language?: ("en" | "de") | null;
      /** @description The last name; null if not set. */
      lastName?: (string & (string)) | null;
      /** @description The middle name; null if not set. */
      middleName?: (string & (string)) | null;
      /** @description The name by which the person wants to be addressed; null if not set. */
      preferredName?: (string & (string)) | null;
    };
    Readiness: {
      /** @description Why this node cannot serve, such as `database`; empty when it can. */
      missing: string[];
      /**
       * @description Whether requests should be sent here.
       * @enum {string}
       */
      status: "ready" | "not ready";
      /** @description Services that no node can serve now; their paths answer 503. */
      unavailable: string[];
    };
    ReadPositionInput: {
      /** @description The number of the last message that was read. */
      seq: number;
    };
    RecoveryMail: {
      /**
       * @description The link is on its way.
       * @constant
       */
      status: "mailed";
      /** @description The id of the user (`usr_…`). */
      userId: string;
    };
    RedriveInput: {
      /** @description The id of a dead letter, the id of an organization, or `all`. */
      what: string;
    };
    RefusedEvent: {
      /** @description The invalid fields. */
      details: components["schemas"]["RefusedField"][];
      /** @description The error code. */
      error: string;
      /** @description The UUID of the event; null if it had no valid one. */
      eventId: string | null;
      /** @description The name of the event; null if it had no valid one. */
      eventName: string | null;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description Whether it was sent in a batch. */
      isBatch: boolean;
      /** @description The reason as a sentence. */
      message: string;
      /** @description The number of refused events before this one that are not listed, because there were too many. */
      omitted: number;
      /**
       * Format: date-time
       * @description When it was refused.
       */
      refusedAt: string;
      /** @description The application or user who sent it. */
      sender: {
        /** @description The id of the application or user. */
        id: string;
        /**
         * @description Whether an application or a user sent it.
         * @enum {string}
         */
        type: "application" | "user";
      };
    };
    RefusedEventPage: {
      /** @description The items of this page. */
      data: components["schemas"]["RefusedEvent"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    RefusedField: {
      /** @description The rule that the value violates. */
      message: string;
      /** @description The field within the event. */
      path: string;
    };
    RegisteredPermissions: {
      /** @description The first part of permission keys, such as `shop`. */
      namespace: string;
      /** @description The permissions of the request, as they are now. */
      permissions: components["schemas"]["Permission"][];
      /** @description A number that grows with every change. */
      revision: number;
    };
    RegistrationPolicy: {
      /** @description Domains of email addresses, in ASCII. They count with the mode `domains`. Subdomains are listed separately. */
      domains: string[];
      /**
       * @description `open`: everyone creates an account. `invitation`: only invited people. `domains`: people with an address of one of `domains`, and invited people.
       * @enum {string}
       */
      mode: "open" | "invitation" | "domains";
    };
    RegistrationPolicyInput: {
      /** @description Domains of email addresses, in ASCII. They count with the mode `domains`. Subdomains are listed separately. Letters of other scripts are converted, and duplicates are removed. */
      domains?: string[];
      /**
       * @description `open`: everyone creates an account. `invitation`: only invited people. `domains`: people with an address of one of `domains`, and invited people.
       * @enum {string}
       */
      mode: "open" | "invitation" | "domains";
    };
    RequeuedDeadLetters: {
      /** @description How many dead letters were queued again. */
      requeued: number;
    };
    Role: {
      /** @description When it was created; null for a built-in role. */
      createdAt: string | null;
      /** @description A text for people. It may have several lines, or be empty. */
      description: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The ids of other roles, whose permissions this role has too. */
      includes: string[];
      /** @description Whether it is built in and cannot be changed. */
      isSystem: boolean;
      /** @description The name that people see. */
      name: string;
      /** @description Permission keys, such as `shop.orders.read`. */
      permissions: string[];
      /** @description A number that grows with every change. */
      revision: number;
      /** @description When it was last changed; null for a built-in role. */
      updatedAt: string | null;
    };
    RoleInput: {
      /** @description A text for people. It may have several lines, or be empty. */
      description?: string | null;
      /** @description The ids of other roles, whose permissions this role has too. */
      includes?: string[];
      /** @description The name that people see. */
      name: string & (string);
      /** @description Permission keys, such as `shop.orders.read`. */
      permissions: string[];
    };
    RolePage: {
      /** @description The items of this page. */
      data: components["schemas"]["Role"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    RoleUpdateInput: {
      /** @description A text for people. It may have several lines, or be empty. */
      description?: string | null;
      /** @description The ids of other roles, whose permissions this role has too. */
      includes?: string[];
      /** @description The name that people see. */
      name?: string & (string);
      /** @description Permission keys, such as `shop.orders.read`. */
      permissions?: string[];
    };
    SavedReply: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The name that people see. */
      name: string;
      /** @description The id of the saved reply (`rpl_…`). */
      replyId: string;
      /** @description The text. */
      text: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    SavedReplyInput: {
      /** @description The name by which agents choose it; unique, upper and lower case alike. */
      name: string & (string);
      /** @description The text that is inserted, at most 5,000 characters. */
      text: string & (string);
    };
    SavedReplyPage: {
      /** @description The items of this page. */
      data: components["schemas"]["SavedReply"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    SavedReplyUpdateInput: {
      /** @description The name by which agents choose it; unique, upper and lower case alike. */
      name?: string & (string);
      /** @description The text that is inserted, at most 5,000 characters. */
      text?: string & (string);
    };
    SentNotification: {
      /**
       * @description The channel, such as `email`, `phone` or `web`.
       * @enum {string}
       */
      channel: "chatapp" | "photoapp" | "socialapp" | "microblog" | "phone" | "email" | "web";
      /** @description The id of the notification (`ntf_…`). */
      notificationId: string;
      /**
       * @description `sent`: the provider took it. `queued`: it is stored durably and will be tried.
       * @enum {string}
       */
      status: "sent" | "queued";
    };
    Session: {
      /** @description The IP address of the login. */
      address: string;
      /**
       * Format: date-time
       * @description When the user signed in.
       */
      createdAt: string;
      /** @description Whether it is the session of this request. */
      current: boolean;
      /** @description The browser and the system, for people. */
      device: string;
      /**
       * Format: date-time
       * @description When it expires: ISO 8601 in UTC with milliseconds.
       */
      expiresAt: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /**
       * Format: date-time
       * @description When it was last used: ISO 8601 in UTC with milliseconds, exact to a minute; null if never.
       */
      lastUsedAt: string;
      /** @description The User-Agent header of the login. */
      userAgent: string;
    };
    SessionPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Session"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    SignedUrl: {
      /**
       * Format: date-time
       * @description When it expires: ISO 8601 in UTC with milliseconds.
       */
      expiresAt: string;
      /** @description The signed address, which needs no credential until it expires. */
      url: string;
    };
    Site: {
      /** @description The origins of pages that may embed the widget, such as `https://shop.example.com`, or with `*.`. */
      allowedOrigins: string[];
      /** @description The colour of the widget, such as `#0b57d0`. */
      colour: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description Whether it is turned on. */
      enabled: boolean;
      /** @description The first line that a visitor sees; may be empty. */
      greeting: string;
      /** @description Whether there is a secret that signs identities. */
      hasSecret: boolean;
      /** @description The https address of the logo; null for none. */
      logoUrl: string | null;
      /** @description The name that people see. */
      name: string;
      /** @description The id of the website (`site_…`). */
      siteId: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    SiteInput: {
      /** @description The origins of pages that may embed the widget, such as `https://shop.example.com`, or with `*.`. */
      allowedOrigins?: string[];
      /** @description The colour of the widget, such as `#0b57d0`. */
      colour?: string;
      /** @description Whether it is turned on. */
      enabled?: boolean;
      /** @description The first line that a visitor sees; may be empty. */
      greeting?: string;
      /** @description The https address of the logo; null for none. */
      logoUrl?: string | null;
      /** @description The name that people see. */
      name: string & (string);
    };
    SitePage: {
      /** @description The items of this page. */
      data: components["schemas"]["Site"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    SiteSecret: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The secret (`wsec_…`). It is in this answer only. */
      secret: string;
      /** @description The id of the website (`site_…`). */
      siteId: string;
    };
    SiteUpdateInput: {
      /** @description The origins of pages that may embed the widget, such as `https://shop.example.com`, or with `*.`. */
      allowedOrigins?: string[];
      /** @description The colour of the widget, such as `#0b57d0`. */
      colour?: string;
      /** @description Whether it is turned on. */
      enabled?: boolean;
      /** @description The first line that a visitor sees; may be empty. */
      greeting?: string;
      /** @description The https address of the logo; null for none. */
      logoUrl?: string | null;
      /** @description The name that people see. */
      name?: string & (string);
    };
    StorageMeter: {
      /** @description The limit of the plan in gigabytes; null if the plan does not include storage. */
      limitGb: number | null;
      /** @description The gigabytes in use (1,000,000,000 bytes each). */
      usedGb: number;
    };
    StorageUsage: {
      /** @description The traffic of this month. */
      bandwidth: components["schemas"]["StorageMeter"];
      /** @description The items of this page. */
      data: components["schemas"]["BucketUsage"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
      /** @description The stored bytes. */
      storage: components["schemas"]["StorageMeter"];
    };
    StoredObject: {
      /** @description The name of the bucket. */
      bucket: string;
      /** @description The key of the object: segments separated by `/`, 1 to 1,024 bytes in UTF-8. */
      key: string;
      /** @description Texts of your own by name, which the platform never interprets: at most 50, and 8 KiB in total. */
      metadata: {
        [key: string]: string;
      };
      /** @description The media type, such as `image/png`. */
      mimeType: string;
      /** @description The id of the object (`obj_…`). It stays when the object is renamed or replaced. */
      objectId: string;
      /** @description Whether it can be read without a credential. An object is public only in a public bucket. */
      public: boolean;
      /** @description The SHA-256 of the bytes in hexadecimal. It is also the ETag. */
      sha256: string;
      /** @description The size in bytes. */
      size: number;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /**
       * Format: date-time
       * @description When the present bytes were stored.
       */
      uploadedAt: string;
      /** @description The address of the bytes, which works without a credential while the object is public. */
      url: string;
      /** @description The version of the bytes. With `?v=<version>`, the address can be cached permanently. */
      version: string;
    };
    StoredObjectPage: {
      /** @description The items of this page. */
      data: components["schemas"]["StoredObject"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
      /** @description With `delimiter`: the beginnings that several keys share, each to the delimiter. */
      prefixes: string[];
    };
    Story: {
      /** @description The customer's id in your own system, as your events name it. */
      customerId: string;
      /** @description The story in a few sentences. */
      summary: string;
      /** @description The story in one line. */
      title: string;
      /**
       * Format: date-time
       * @description When the story last changed.
       */
      updatedAt: string;
    };
    StoryEvent: {
      /** @description The one who acted. */
      actor: {
        /** @description The id of the actor in your own system. */
        id: string;
        /** @description The kind of the actor, such as `customer`. */
        type: string;
      };
      /** @description The UUID of the event, unique in the organization. */
      eventId: string;
      /** @description The name of the event: 2 to 6 dotted parts, such as `order.placed`. */
      eventName: string;
      /** @description When it happened: ISO 8601 in UTC with milliseconds. */
      occurredAt: string;
      /** @description The content of the event: at most 5,000 keys and 256 KiB. */
      payload: {
        [key: string]: unknown;
      };
      /** @description When the platform accepted the event. */
      receivedAt: string;
      /** @description The version of the event format, such as `1.0`. */
      schemaVersion: string;
      /** @description Where the event comes from. */
      source: {
        /** @description The channel of the source, such as `web`. */
        channel: string;
        /** @description The system that sends the event, such as `shop`. */
        system: string;
      };
      /** @description The id of the organization (`org_…`). */
      tenantId: string;
    };
    StoryEventPage: {
      /** @description The items of this page. */
      data: components["schemas"]["StoryEvent"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Subscription: {
      /**
       * @description How often the plan is paid.
       * @enum {string}
       */
      billingCycle: "monthly" | "yearly";
      /** @description Whether it was cancelled and ends with the current period. */
      cancelAtPeriodEnd: boolean;
      /**
       * Format: date-time
       * @description When the current period ends: ISO 8601 in UTC with milliseconds.
       */
      currentPeriodEnd: string;
      /**
       * Format: date-time
       * @description When the current period began: ISO 8601 in UTC with milliseconds.
       */
      currentPeriodStart: string;
      /** @description The id of the subscription at the payment provider; null without payment. */
      gatewaySubscriptionId: string | null;
      /** @description The id of the organization (`org_…`). */
      orgId: string;
      /**
       * @description The name of the plan.
       * @enum {string}
       */
      plan: "free" | "pro" | "scale";
      /**
       * @description `trialing`: active, but not paid yet. `past_due`: a payment failed, and the plan works until the grace period ends. `expired`: the grace period is over. `incomplete`: the first payment is pending, and the limits of `free` apply. `canceled`: the organization is deleted.
       * @enum {string}
       */
      status: "active" | "trialing" | "past_due" | "incomplete" | "canceled" | "expired";
    };
    Suppression: {
      /** @description The suppressed email address. */
      address: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The id of the suppression (`sup_…`). */
      id: string;
      /** @description The id of the mail that caused it (`msg_…`); null if none. */
      messageId: string | null;
      /**
       * @description Why it is suppressed.
       * @enum {string}
       */
      reason: "bounced" | "complained" | "unsubscribed" | "manual";
    };
    SuppressionInput: {
      /**
       * Format: idn-email
       * @description The email address.
       */
      address: string;
    };
    SuppressionPage: {
      /** @description The items of this page. */
      data: components["schemas"]["Suppression"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Suspension: {
      /** @description The reason that the operator gave, which members of the organization read. */
      reason: string;
      /**
       * Format: date-time
       * @description When the operator of the platform suspended the organization.
       */
      since: string;
    };
    SuspensionInput: {
      /** @description Why, for the members of the organization, in one line. */
      reason: string & (string);
    };
    TemplatePublicationInput: {
      /** @description The number of the version; by default the latest one. */
      version?: number;
    };
    TemplateSummary: {
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The number of the latest version. */
      latestVersion: number;
      /** @description The version that new messages use; null before the first is published. */
      liveVersion: number | null;
      /** @description The languages that the latest version has contents for, without the default. */
      locales: string[];
      /** @description The name that people see. */
      name: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    TemplateSummaryPage: {
      /** @description The items of this page. */
      data: components["schemas"]["TemplateSummary"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    TemplateVariable: {
      /** @description The name in the template. */
      name: string;
      /** @description Whether a message cannot be sent without a value. */
      required: boolean;
      /** @description The value for previews and tests. */
      sample: string;
    };
    TemplateVariableInput: {
      /** @description The name in the template: 1 to 50 letters, digits and underscores. */
      name: string;
      /**
       * @description Whether a message cannot be sent without a value.
       * @default true
       */
      required?: boolean;
      /**
       * @description The value for previews and tests.
       * @default
       */
      sample?: string;
    };
    TemplateVersionSummary: {
      /**
       * @description Marketing messages respect unsubscriptions; transactional ones do not.
       * @enum {string}
       */
      category: "transactional" | "marketing";
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The languages that it has contents for, without the default. */
      locales: string[];
      /** @description The subject of the default content, as its author wrote it; null if none. */
      subject: string | null;
      /** @description The number of the version, from 1. */
      version: number;
    };
    TemplateVersionSummaryPage: {
      /** @description The items of this page. */
      data: components["schemas"]["TemplateVersionSummary"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    Usage: {
      /** @description The id of the organization (`org_…`). */
      orgId: string;
      /** @description The period as `<start> / <end>`, both ISO 8601 in UTC with milliseconds. The end is not part of it. */
      period: string;
      /** @description The use of each part of the plan. */
      usage: {
        /** @description Events. */
        context: {
          /** @description The events of this day in UTC. */
          eventsToday: number;
          /** @description The limit of the plan per day; 0: not included. */
          limitPerDay: number;
        };
        /** @description Mail. */
        mail: {
          /** @description The limit of the plan per calendar month; 0: not included. */
          limitPerMonth: number;
          /** @description The messages of this calendar month in UTC. */
          sentThisMonth: number;
        };
        /** @description Notifications. */
        notification: {
          /** @description The limit of the plan per calendar month; 0: not included. */
          limitPerMonth: number;
          /** @description The messages of this calendar month in UTC. */
          sentThisMonth: number;
        };
        /** @description The meters that further services declare, such as `services.hello.greetingsPerDay`; absent without any. */
        services?: {
          [key: string]: {
            [key: string]: {
              /** @description The limit of the plan per day. */
              limitPerDay: number;
              /** @description The use of this day in UTC. */
              usedToday: number;
            } | {
              /** @description The limit of the plan per calendar month; 0: not included. */
              limitPerMonth: number;
              /** @description The use of this calendar month in UTC. */
              usedThisMonth: number;
            } | {
              /** @description The limit of the plan. */
              limit: number;
              /** @description The present use. */
              used: number;
            };
          };
        };
        /** @description Stored objects. */
        storage: {
          /** @description The limit of the plan in gigabytes; 0: not included. */
          limitGb: number;
          /** @description The gigabytes in use (1,000,000,000 bytes each). */
          usedGb: number;
        };
      };
    };
    UsagePeriod: {
      /** @description The limit of the plan at the last use in the period. */
      limit: number;
      /** @description The kind of use that is counted. */
      meter: string | ("context.eventsPerDay" | "intelligence.recommendationsPerDay" | "notification.sendsPerMonth" | "mail.sendsPerMonth" | "storage.bandwidthGbPerMonth") | unknown;
      /** @description The period as `<start> / <end>`, both ISO 8601 in UTC with milliseconds. The end is not part of it. */
      period: string;
      /** @description The use in the period, in the unit of the limit. */
      used: number;
    };
    UsagePeriodPage: {
      /** @description The items of this page. */
      data: components["schemas"]["UsagePeriod"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    User: {
      /** @description The http or https address of a picture; null if not set. */
      avatarUrl: string | null;
      /** @description The date of birth as `YYYY-MM-DD`, from 1900-01-01 to today; null if not set. */
      birthDate: string | null;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description The name that others see; null if not set. */
      displayName: string | null;
      /** @description The email address. */
      email: string;
      /** @description Whether the user has confirmed the email address. */
      emailVerified: boolean;
      /** @description The first name; null if not set. */
      firstName: string | null;
      /** @description The gender in the words of the person; null if not set. */
      gender: string | null;
      /** @description The unique id. Its prefix says of what kind it is. */
      id: string;
      /** @description The language of pages and mails; null follows the browser. */
      language: ("en" | "de") | null;
      /** @description When the user last signed in; null if never. */
      lastLoginAt: string | null;
      /** @description The last name; null if not set. */
      lastName: string | null;
      /** @description The middle name; null if not set. */
      middleName: string | null;
      /** @description The name by which the person wants to be addressed; null if not set. */
      preferredName: string | null;
      /**
       * @description The built-in role in the organization.
       * @enum {string}
       */
      role: "owner" | "admin" | "member";
      /**
       * Format: date-time
       * @description When the membership was suspended; absent while it is in force.
       */
      suspendedAt?: string;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    UserContact: {
      /** @description The id of the contact (`con_…`). */
      contactId: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /** @description Whether it is the primary contact of its type. */
      isPrimary: boolean;
      /** @description Whether `value` is shortened; false for the login address. */
      isShortened: boolean;
      /**
       * @description What kind of contact it is.
       * @enum {string}
       */
      type: "phone" | "email" | "chatapp" | "photoapp" | "socialapp" | "microblog";
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
      /** @description The address, number or account. */
      value: string;
      /** @description Whether the user has confirmed the contact. */
      verified: boolean;
    };
    UserContactPage: {
      /** @description The items of this page. */
      data: components["schemas"]["UserContact"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    UserExport: {
      /** @description The addresses. */
      addresses: components["schemas"]["Address"][];
      /** @description What the user granted to applications. */
      applications: components["schemas"]["GrantedScopes"][];
      /** @description The user's own actions in the audit logs. */
      auditRecords: components["schemas"]["OwnAuditRecord"][];
      /** @description The contacts. */
      contacts: components["schemas"]["Contact"][];
      /**
       * Format: date-time
       * @description When the export was made.
       */
      exportedAt: string;
      /** @description The organizations of the user. */
      memberships: components["schemas"]["Membership"][];
      /** @description The sessions, including expired ones that are not removed yet. */
      sessions: components["schemas"]["Session"][];
      /** @description The lists from which the oldest items were omitted. */
      shortened: ("memberships" | "sessions" | "applications" | "auditRecords")[];
      /** @description The profile. */
      user: components["schemas"]["CurrentUser"];
    };
    UserPage: {
      /** @description The items of this page. */
      data: components["schemas"]["User"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    WebhookReceipt: {
      /**
       * @description Always true: the report was stored.
       * @constant
       */
      received: true;
    };
    WidgetColours: {
      /** @description The colour of the website, readable on the widget's background. */
      accent: string;
      /** @description The colour of text on it. */
      onAccent: string;
    };
    WidgetConversation: {
      /** @description The number of the last message that an agent has read. */
      agentReadSeq: number;
      /** @description The id of the conversation (`conv_…`). */
      conversationId: string;
      /** @description The beginning of the last message that is not a note. */
      lastMessage: string;
      /** @description The number of the last message. */
      lastSeq: number;
      /** @description The number of the last message that the visitor has read. */
      readSeq: number;
      /**
       * @description The status.
       * @enum {string}
       */
      status: "open" | "pending" | "closed";
      /** @description The number of messages of the other side that are not read yet. */
      unreadCount: number;
      /**
       * Format: date-time
       * @description When it was last changed: ISO 8601 in UTC with milliseconds.
       */
      updatedAt: string;
    };
    WidgetConversationPage: {
      /** @description The items of this page. */
      data: components["schemas"]["WidgetConversation"][];
      /** @description Send it as `cursor` for the next page; null on the last page. */
      nextCursor: string | null;
    };
    WidgetMessage: {
      /** @description The files of the message. */
      attachments: components["schemas"]["Attachment"][];
      /** @description The id of the conversation (`conv_…`). */
      conversationId: string;
      /**
       * Format: date-time
       * @description When it was created: ISO 8601 in UTC with milliseconds.
       */
      createdAt: string;
      /**
       * @description `team`: an agent or an application of the organization.
       * @enum {string}
       */
      from: "visitor" | "team";
      /** @description The id of the message. */
      messageId: string;
      /** @description The name of the agent; null: the name of the website. */
      name: string | null;
      /** @description The number of the message in the conversation. Numbers begin at 1 and have no gaps. */
      seq: number;
      /** @description The text. */
      text: string;
    };
    WidgetMessageInput: {
      /** @description The ids of uploaded files, at most 10. */
      attachments?: string[];
      /** @description An id that your client makes for the message. A repetition with it adds nothing. */
      echoId: string;
      /**
       * Format: idn-email
       * @description The email address of the visitor. It is not verified.
       */
      email?: string;
      /** @description The name of the visitor. It is not verified. */
      name?: string & (string);
      /** @description The text, at most 5,000 characters. Required without attachments. */
      text?: string;
    };
    WidgetMessageList: {
      /** @description Whether an agent has the inbox open. */
      agentsOnline: boolean;
      /** @description The conversation; null before the first message. */
      conversation: components["schemas"]["WidgetConversation"] | null;
      /** @description The items of this page. */
      data: components["schemas"]["WidgetMessage"][];
      /** @description Whether there are more messages: later ones with `after`, otherwise earlier ones. */
      hasMore: boolean;
    };
    WidgetReadPositionInput: {
      /** @description The id of a conversation of the visitor; by default the current one. */
      conversationId?: string;
      /** @description The number of the last message that was read. */
      seq: number;
    };
    WidgetSession: {
      /** @description Whether an agent has the inbox open. */
      agentsOnline: boolean;
      /** @description The conversation; null before the first message. */
      conversation: components["schemas"]["WidgetConversation"] | null;
      /**
       * Format: date-time
       * @description When it expires: ISO 8601 in UTC with milliseconds.
       */
      expiresAt: string;
      /** @description Whether your server signed the identity of the visitor. */
      isIdentified: boolean;
      /** @description The website. */
      site: {
        /** @description The colour of the widget, such as `#0b57d0`. */
        colour: string;
        /** @description The first line that a visitor sees; may be empty. */
        greeting: string;
        /** @description The https address of the logo; null for none. */
        logoUrl: string | null;
        /** @description The name that people see. */
        name: string;
        /** @description The id of the website (`site_…`). */
        siteId: string;
      };
      /** @description The id of the visitor (`vis_…`). */
      visitorId: string;
      /** @description The token for the other widget requests, as bearer credential. */
      visitorToken: string;
    };
    WidgetSessionInput: {
      /** @description The language of the visitor's browser, such as `de` or `en-GB`. */
      locale?: string;
      /** @description The id of the website (`site_…`); by default the first one of the organization. */
      siteId?: string;
      /** @description The id of the organization (`org_…`). */
      tenantId: string;
      /** @description The user of your website. */
      user?: {
        /**
         * Format: idn-email
         * @description The email address, exactly as it is signed.
         */
        email?: string;
        /** @description The id of the user in your own system. */
        id: string & (string);
        /**
         * Format: date-time
         * @description When your server signed the identity, at most a day ago. Required with `userHash`.
         */
        issuedAt?: string;
        /** @description The name that people see. */
        name?: string & (string);
      };
      /** @description The HMAC-SHA256 in hexadecimal of `id`, `email` (or empty) and `issuedAt`, joined by line feeds, under the secret of the website. Makes `user` a verified identity. */
      userHash?: string;
    };
    WidgetSite: {
      /** @description The colours on a dark background. */
      dark: components["schemas"]["WidgetColours"];
      /** @description The colours on a light background. */
      light: components["schemas"]["WidgetColours"];
      /** @description The name that people see. */
      name: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

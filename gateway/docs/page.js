const response = await fetch('/openapi.json');
const document = await response.json();

window.SwaggerUIBundle({
  domNode: window.document.getElementById('apis'),
  // "Try it out" calls the platform that served this page, under any host name.
  spec: { ...document, servers: [{ url: window.location.origin }] },
  deepLinking: true,
  showExtensions: true,
});
